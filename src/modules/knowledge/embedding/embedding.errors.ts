import { ApiError } from '../../../common/errors/api-error';

const RETRY_SECONDS = 5;

/** The embedding model did not answer, or answered with something else than vectors. */
export class EmbeddingsUnavailableError extends ApiError {
  static readonly status = 503;
  static readonly code = 'EMBEDDINGS_UNAVAILABLE';
  static readonly summary = 'The embedding model did not return vectors. Try again later, or ask an administrator.';

  constructor(cause?: Error) {
    super({}, { cause, retryAfterSeconds: RETRY_SECONDS });
  }
}

/** A change of the embedding model is not complete yet. */
export class EmbeddingChangeRunningError extends ApiError {
  static readonly status = 409;
  static readonly code = 'EMBEDDING_CHANGE_RUNNING';
  static readonly summary =
    'The vectors of another embedding model are still being made. Wait until `building` is null, or delete the model.';
}

/** The provider does not exist, or has no embedding models. */
export class EmbeddingProviderUnusableError extends ApiError {
  static readonly status = 422;
  static readonly code = 'EMBEDDING_PROVIDER_UNUSABLE';
  static readonly summary =
    'This provider does not exist, or its kind has no embedding models. Choose a provider with an OpenAI-compatible API.';
}
