import { ApiError } from '../../../common/errors/api-error';

/** The user already runs the maximum number of searches. */
export class TooManySearchesError extends ApiError {
  static readonly status = 429;
  static readonly code = 'TOO_MANY_CONCURRENT';
  static readonly summary = 'Too many searches are running for this account. Wait until one of them finishes.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['limit'],
    properties: {
      limit: { type: 'integer', description: 'Searches that may run at the same time.', example: 4 },
    },
  };

  static example(): TooManySearchesError {
    return new TooManySearchesError(4);
  }

  constructor(limit: number) {
    super({ limit }, { retryAfterSeconds: 1 });
  }

  override get messageKey(): string {
    return 'messages.too_many_searches';
  }
}

/** Semantic search needs an embedding model. */
export class EmbeddingsNotConfiguredError extends ApiError {
  static readonly status = 422;
  static readonly code = 'EMBEDDINGS_NOT_CONFIGURED';
  static readonly summary =
    'There is no embedding model, so semantic search is not available. Send a `text_weight` above 0, or ask an ' +
    'administrator to configure one.';
}
