import { ConnectionNeededError } from '../../tool/tool.api';
import type { McpServer } from '../servers/mcp-server.store';

/** The right to speak with a server for somebody. Each method throws `ConnectionNeededError` and `McpFailure`. */
export interface Authorization {
  /** The token that requests carry. */
  token(): string;
  /** The server does not take the token: gets another one, once. */
  renew(): Promise<void>;
  /** The server wants more than the token allows: gets one that allows it, once, where nobody has to be asked. */
  widen(scopes: readonly string[]): Promise<void>;
}

/** What a call fails with until its user has signed in. */
export function connectionNeeded(
  { label, auth }: Pick<McpServer, 'label' | 'auth'>,
  scopes: readonly string[] = [],
): ConnectionNeededError {
  return new ConnectionNeededError(label, scopes, auth === 'enterprise' ? 'company' : 'server');
}
