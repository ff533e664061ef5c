import type { Principal } from '../../../common/security/principal';
import { isOfUser } from './mcp-server.entity';
import type { McpServer } from './mcp-server.store';

/**
 * Whether a user can connect to the server: it has connections per user, is active, and is available to one of the
 * user's groups.
 */
export function mayConnect(
  { auth, isActive, groupIds: groups }: McpServer,
  { groupIds }: Pick<Principal, 'groupIds'>,
): boolean {
  return isOfUser(auth) && isActive && (groups?.some((id) => groupIds.includes(id)) ?? true);
}
