/** Where a user must sign in: at the MCP server, or again at the company's identity provider. */
export type NeededSignIn = 'server' | 'company';

/**
 * Thrown by a tool call that was not made because the user has not connected to the MCP server or has not granted
 * enough scopes. `scopes` are the missing scopes. Empty: there is no connection.
 */
export class ConnectionNeededError extends Error {
  override readonly name = 'ConnectionNeededError';

  constructor(
    /** The label of the MCP server. */
    readonly label: string,
    readonly scopes: readonly string[],
    readonly signIn: NeededSignIn = 'server',
  ) {
    super(`The user has to connect with the server ${label}.`);
  }
}
