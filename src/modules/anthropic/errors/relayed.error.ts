import { ApiError } from '../../../common/errors/api-error';
import type { AnthropicErrorBody } from './anthropic-error-body';

/** A refusal of the provider that its clients' recovery parses: its text reaches the client unchanged. */
export class RelayedError extends ApiError {
  static readonly status = 400;
  static readonly code = 'PROVIDER_REFUSED';
  static readonly summary = 'The model provider refused the request. `error.message` is its own text.';

  static example(): RelayedError {
    return new RelayedError(400, { type: 'invalid_request_error', message: 'max_tokens: must be at least 1' }, {});
  }

  /**
   * @param providerStatus 400, 404, 409, 413 or 422
   * @param headers of the provider that tell clients whether and when to retry
   */
  constructor(
    private readonly providerStatus: number,
    readonly relayed: AnthropicErrorBody['error'],
    readonly headers: Record<string, string>,
  ) {
    super();
  }

  /** 422 stays 422 here: the provider's status is relayed. */
  override get status(): number {
    return this.providerStatus;
  }

  override get sentence(): string {
    return this.relayed.message;
  }
}
