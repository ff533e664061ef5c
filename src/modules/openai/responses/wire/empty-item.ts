import type { MessageItem, OutputItem, OutputText, ReasoningItem } from './response-item';

export type ContentPart = OutputText | ReasoningItem['content'][number];

/** The only part of what the model said or thought. */
export function partOf(item: MessageItem | ReasoningItem): ContentPart {
  return item.content[0] as ContentPart;
}

/** An item as it begins: nothing of it has been told. */
export function emptyItem(item: OutputItem): OutputItem {
  switch (item.type) {
    case 'function_call':
      return { ...item, arguments: '' };
    case 'custom_tool_call':
      return { ...item, input: '' };
    case 'compaction':
      return { ...item, encrypted_content: '' };
    case 'mcp_approval_request':
      return item;
    case 'mcp_list_tools':
      return { ...item, tools: [] };
    case 'mcp_call':
      return { ...item, arguments: '', status: 'in_progress', output: null, error: null };
    case 'message':
      return { ...item, content: [] };
    case 'reasoning':
      return { ...item, summary: [], content: [] };
  }
}
