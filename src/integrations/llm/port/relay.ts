/** A request whose bytes a provider gets unchanged. */
export interface RelayRequest {
  /** The provider's name. */
  provider: string;
  /** The model, whose failures are counted. */
  model: string;
  /** The route of the provider's API. */
  route: '/v1/messages' | '/v1/messages/count_tokens';
  /** The query of the client, with its `?`; an empty text if there is none. */
  query: string;
  /** Headers in addition to those of the provider's access. */
  headers: Record<string, string>;
  body: Buffer;
}

/** Time limits of a relayed request, in milliseconds. Null: none. */
export interface RelayLimits {
  /** Until the first bytes after the head. */
  firstToken: number | null;
  /** Between two parts of the response. */
  idle: number | null;
  total: number;
}

/** A successful response of a provider. */
export interface RelayedAnswer {
  contentType: string | null;
  /** The provider's own id of the request. Null: it named none. */
  requestId: string | null;
  /** Whether the body is a stream of events. */
  isStream: boolean;
  /** The body as it arrives. Iteration throws a ModelProviderError, or GenerationAbortedError if the caller aborted. */
  parts: AsyncIterable<Buffer>;
}
