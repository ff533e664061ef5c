import { ModelProviderError, type ModelProviderErrorOptions } from './llm.errors';

/** An error in the form of Anthropic's API. */
export interface AnthropicError {
  type: string;
  message: string;
  details?: Record<string, unknown>;
}

/** A provider refused a relayed request. Its text reaches the client, because programs parse it for their recovery. */
export class ProviderRefusalError extends ModelProviderError {
  static readonly status = 400;
  static readonly code = 'PROVIDER_REFUSED';
  static readonly summary = 'The model provider refused the request. `error.message` is its own text.';

  static example(): ProviderRefusalError {
    const refusal = { type: 'invalid_request_error', message: 'max_tokens: must be at least 1' };
    return new ProviderRefusalError(refusal, {}, { providerStatus: 400 });
  }

  /**
   * @param refusal with keys removed
   * @param headers of the provider by which clients decide whether and when to retry
   */
  constructor(
    readonly refusal: AnthropicError,
    readonly headers: Record<string, string>,
    options: ModelProviderErrorOptions,
  ) {
    super({}, options);
  }

  /** The provider's own status, which clients know. */
  override get status(): number {
    return this.providerStatus ?? ProviderRefusalError.status;
  }
}
