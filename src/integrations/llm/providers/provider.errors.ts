import { ApiError } from '../../../common/errors/api-error';

/** No provider has this id or name. */
export class ProviderNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'PROVIDER_NOT_FOUND';
  static readonly summary = 'No such model provider. GET /admin/providers lists those there are.';
}

/** Another provider has this name; case is ignored. */
export class ProviderNameTakenError extends ApiError {
  static readonly status = 409;
  static readonly code = 'PROVIDER_NAME_TAKEN';
  static readonly summary = 'Another model provider has this name. Choose a different one.';
}

/** Agents use the provider, or one of its models as a fallback. `details.agents` lists them, including drafts. */
export class ProviderInUseError extends ApiError {
  static readonly status = 409;
  static readonly code = 'PROVIDER_IN_USE';
  static readonly summary =
    'Agents use the model provider, so it keeps its name and stays. Give those in details.agents another one first.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['agents', 'count'],
    properties: {
      agents: {
        type: 'array',
        description: 'The agents that use it.',
        items: {
          type: 'object',
          required: ['id', 'name'],
          properties: {
            id: { type: 'integer', description: 'The agent.', example: 3 },
            name: { type: 'string', description: 'Its name.', example: 'Cook' },
          },
        },
      },
      count: { type: 'integer', description: 'How many agents use it.', example: 1 },
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
    'The providers default and demo are not kept in the database. Change LLM_* and restart, or add a provider beside them.';
}
