import { ApiError } from '../../../common/errors/api-error';

/** No provider has this id or name. */
export class ProviderNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'PROVIDER_NOT_FOUND';
  static readonly summary = 'There is no such model provider. `GET /admin/providers` lists all of them.';
}

/** Another provider has this name; case is ignored. */
export class ProviderNameTakenError extends ApiError {
  static readonly status = 409;
  static readonly code = 'PROVIDER_NAME_TAKEN';
  static readonly summary = 'Another model provider has this name. Choose a different name.';
}

/**
 * Agents use the provider, or one of its models as a fallback; or it has the embedding model. `details.agents` lists the
 * agents, including drafts.
 */
export class ProviderInUseError extends ApiError {
  static readonly status = 409;
  static readonly code = 'PROVIDER_IN_USE';
  static readonly summary =
    'Agents or embeddings use the model provider, so it cannot be renamed or deleted. Assign another provider to ' +
    'the agents in `details.agents`, and choose another embedding model, first.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['agents', 'count'],
    properties: {
      agents: {
        type: 'array',
        description: 'The agents that use the provider.',
        items: {
          type: 'object',
          required: ['id', 'name'],
          properties: {
            id: { type: 'integer', description: 'Id of the agent.', example: 3 },
            name: { type: 'string', description: 'Name of the agent.', example: 'Cook' },
          },
        },
      },
      count: { type: 'integer', description: 'Number of agents that use the provider.', example: 1 },
    },
  };

  static example(): ProviderInUseError {
    return new ProviderInUseError([{ id: 3, name: 'Cook' }]);
  }

  constructor(agents: { id: number; name: string }[]) {
    super({ agents, count: agents.length });
  }
}

/** The provider comes from the environment or is built in. */
export class ProviderReadOnlyError extends ApiError {
  static readonly status = 409;
  static readonly code = 'PROVIDER_READ_ONLY';
  static readonly summary =
    'The providers `default` and `demo` cannot be changed through the API. Change `LLM_*` and restart the ' +
    'service, or add another provider.';
}
