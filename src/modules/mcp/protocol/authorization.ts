/** The right to speak with a server for somebody. Each method throws `ConnectionNeededError` and `McpFailure`. */
export interface Authorization {
  /** The token that requests carry. */
  token(): string;
  /** The server does not take the token: gets another one, once. */
  renew(): Promise<void>;
  /** The server wants more than the token allows. */
  widen(scopes: readonly string[]): Promise<never>;
}
