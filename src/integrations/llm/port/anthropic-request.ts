/**
 * A request as a client of Anthropic's Messages API wrote it. A provider with this API gets it with few changes, and its
 * events reach the client; other providers get the translation in the rest of the request.
 */
export interface AnthropicRequest {
  /** The client's body, with the agent's instructions. It must not be changed. */
  body: Record<string, unknown>;
  /** The client's headers that are passed on. */
  headers: Record<string, string>;
  /** The query of the client, with its `?`; an empty text if there is none. */
  query: string;
  /** The client's functions, by their names in the prompt. All other functions are the agent's own. */
  clientTools: ReadonlySet<string>;
  /** Why the last request failed, in the provider's own words. Null: it has not. */
  failure: unknown;
}
