import type { ListedToolsItem } from './response-item';
import { itemId } from './wire-ids';

/** The tools of one module or MCP server that a response lists. */
export type ToolListing = Pick<ListedToolsItem, 'server_label' | 'tools'>;

/** @param listed null: the response lists none */
export function itemsOfLists(messageId: number, listed: readonly ToolListing[] | null): ListedToolsItem[] {
  return (listed ?? []).map(({ server_label, tools }, index) => ({
    type: 'mcp_list_tools',
    id: itemId.listedTools(messageId, index),
    server_label,
    tools,
    error: null,
  }));
}
