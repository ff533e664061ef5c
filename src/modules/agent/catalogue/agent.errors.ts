import { ApiError } from '../../../common/errors/api-error';

/** The agent does not exist, is not published, or is not for the caller's groups. */
export class AgentNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'AGENT_NOT_FOUND';
  static readonly summary =
    'There is no such agent, or it is not published. `GET /chat/agents/active` lists available agents.';
}

/** The agent's history has no such version. */
export class AgentVersionNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'AGENT_VERSION_NOT_FOUND';
  static readonly summary = 'The agent has no such version. `GET /agents/{id}/versions` lists its versions.';

  constructor() {
    super({ field: 'version', reason: 'not_found' });
  }
}

/** The agent was deactivated or deleted, or the caller left its groups. Its chats stay readable. */
export class AgentInactiveError extends ApiError {
  static readonly status = 409;
  static readonly code = 'AGENT_INACTIVE';
  static readonly summary =
    'The agent is disabled or deleted. Its conversations stay readable; start one with another agent.';
}

/** The agent is for members, and the caller has the free plan. */
export class MembershipRequiredError extends ApiError {
  static readonly status = 403;
  static readonly code = 'MEMBERSHIP_REQUIRED';
  static readonly summary = 'The agent requires a paid plan. Upgrade with `POST /user/upgrade`.';
}

/** Another agent has this name; case is ignored. */
export class AgentNameTakenError extends ApiError {
  static readonly status = 409;
  static readonly code = 'AGENT_NAME_TAKEN';
  static readonly summary = 'Another agent has this name. Choose a different name.';
}

/** A name of a model in the Anthropic-compatible API refers to the agent. */
export class AgentInUseError extends ApiError {
  static readonly status = 409;
  static readonly code = 'AGENT_IN_USE';
  static readonly summary =
    'A model name of the Anthropic-compatible API refers to the agent, so it cannot be deleted. Change the name in ' +
    '`/admin/anthropic_models` first.';
}

/** The agent was changed after the caller read it. */
export class AgentVersionConflictError extends ApiError {
  static readonly status = 409;
  static readonly code = 'VERSION_CONFLICT';
  static readonly summary =
    'The agent has changed since you read it. Read it again and repeat the update with its version.';
}
