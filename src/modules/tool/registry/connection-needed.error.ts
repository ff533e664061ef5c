/** Where a user has to sign in: at the server itself, or once more with the company. */
export type NeededSignIn = 'server' | 'company';

/**
 * What calling a tool throws when its user has not connected with its server, or has not allowed it enough: the call was not made.
 * `scopes` are those that it asks for beyond what it has; empty: there is no connection.
 */
export class ConnectionNeededError extends Error {
  override readonly name = 'ConnectionNeededError';

  constructor(
    /** Of the server. */
    readonly label: string,
    readonly scopes: readonly string[],
    readonly signIn: NeededSignIn = 'server',
  ) {
    super(`The user has to connect with the server ${label}.`);
  }
}
