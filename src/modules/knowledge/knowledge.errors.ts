import { ApiError } from '../../common/errors/api-error';
import { GROUP_ROLES, STORE_ROLES, type StoreRole } from './tables/knowledge-store.entity';

/** The collection does not exist, or the caller may not read it. The error does not distinguish these cases. */
export class KnowledgeNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'KNOWLEDGE_NOT_FOUND';
  static readonly summary = 'There is no such collection, or you may not read it. Ask its owner for access.';

  /** @param field the parameter that names it, for OpenAI's API */
  constructor(field?: string) {
    super(field === undefined ? {} : { field });
  }
}

/** The caller may read, but not do this. */
export class KnowledgeRoleRequiredError extends ApiError {
  static readonly status = 403;
  static readonly code = 'KNOWLEDGE_ROLE_REQUIRED';
  static readonly summary = 'This needs another role in the collection. Ask its owner for the role in `details.role`.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['role'],
    properties: { role: { type: 'string', enum: STORE_ROLES, description: 'The role that is needed.' } },
  };

  static example(): KnowledgeRoleRequiredError {
    return new KnowledgeRoleRequiredError(GROUP_ROLES[1]);
  }

  constructor(role: StoreRole) {
    super({ role });
  }
}

/** What a collection, or a user, can have only so many of. */
export const LIMITED = ['stores', 'files', 'passages'] as const;

/** A limit of the operator is reached. */
export class KnowledgeLimitError extends ApiError {
  static readonly status = 409;
  static readonly code = 'KNOWLEDGE_LIMIT';
  static readonly summary =
    'The maximum number of collections, files or passages is reached. Delete some that are no longer used.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['what', 'limit'],
    properties: {
      what: { type: 'string', enum: LIMITED, description: 'What there are too many of.' },
      limit: { type: 'integer', description: 'How many there may be.', example: 100 },
    },
  };

  static example(): KnowledgeLimitError {
    return new KnowledgeLimitError('stores', 100);
  }

  constructor(what: (typeof LIMITED)[number], limit: number) {
    super({ what, limit });
  }
}

/** The collection has expired: its entries are gone. */
export class KnowledgeExpiredError extends ApiError {
  static readonly status = 409;
  static readonly code = 'KNOWLEDGE_EXPIRED';
  static readonly summary = 'The collection has expired. Create a new one and attach the files there.';

  /** @param field the parameter that names it, for OpenAI's API */
  constructor(field?: string) {
    super(field === undefined ? {} : { field });
  }
}

/** Agents use the collection. */
export class KnowledgeInUseError extends ApiError {
  static readonly status = 409;
  static readonly code = 'KNOWLEDGE_IN_USE';
  static readonly summary = 'Agents use the collection. Send `force=true` to delete it and remove it from them.';
  static readonly detailsSchema = {
    type: 'object',
    properties: {
      agent_ids: {
        type: 'array',
        items: { type: 'integer' },
        description: 'The agents; only for administrators.',
        example: [3],
      },
    },
  };

  static example(): KnowledgeInUseError {
    return new KnowledgeInUseError([3]);
  }

  /** @param agentIds null if the caller may not know them */
  constructor(agentIds: number[] | null) {
    super(agentIds === null ? {} : { agent_ids: agentIds });
  }
}

/** The text of the file is not known yet, or the file has none. */
export class KnowledgeFileNotReadyError extends ApiError {
  static readonly status = 409;
  static readonly code = 'KNOWLEDGE_FILE_NOT_READY';
  static readonly summary = 'The text of the file is not available. Wait until the entry has the status `completed`.';
}

/** There is no such batch in the collection. */
export class BatchNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'BATCH_NOT_FOUND';
  static readonly summary = 'There is no batch with this id in the collection. Check the id.';
}
