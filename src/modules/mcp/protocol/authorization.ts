import { ConnectionNeededError } from '../../tool/tool.api';
import type { McpServer } from '../servers/mcp-server.store';

/**
 * The authorization of requests to a server, for a user or the service itself. Each method throws
 * `ConnectionNeededError` and `McpFailure`.
 */
export interface Authorization {
  /** The token for requests. */
  token(): string;
  /** Gets another token, once, after the server refused the current one. */
  renew(): Promise<void>;
  /** Gets a token with these scopes, once, if that needs no user interaction. */
  widen(scopes: readonly string[]): Promise<void>;
}

/** The error of a call until its user has signed in. */
export function connectionNeeded(
  { label, auth }: Pick<McpServer, 'label' | 'auth'>,
  scopes: readonly string[] = [],
): ConnectionNeededError {
  return new ConnectionNeededError(label, scopes, auth === 'enterprise' ? 'company' : 'server');
}
