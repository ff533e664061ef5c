import type { Principal } from '../../../common/security/principal';
import { isOfUser } from './mcp-server.entity';
import type { McpServer } from './mcp-server.store';

/** Whether somebody can connect with the server: it is for users, switched on, and for one of their groups. */
export function mayConnect(
  { auth, isActive, groupIds: groups }: McpServer,
  { groupIds }: Pick<Principal, 'groupIds'>,
): boolean {
  return isOfUser(auth) && isActive && (groups?.some((id) => groupIds.includes(id)) ?? true);
}
