import type { ListedToolsItem } from './response-item';
import { itemId } from './wire-ids';

/** The tools of one module or server that a response was offered, as it tells them. */
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
