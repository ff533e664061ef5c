import type { CalledTool } from '../../../../integrations/llm/port/message-parts';
import type { CustomCallItem, FunctionCallItem, MessageItem, ReasoningItem } from './response-item';
import { outputText, summaryText } from './response-item';
import { itemId } from './wire-ids';

/** @param index its place among the calls of the reply */
export function newCall(
  messageId: number,
  index: number,
  call_id: string,
  { type, name, namespace }: CalledTool,
): FunctionCallItem | CustomCallItem {
  const called = { status: 'in_progress' as const, call_id, name, ...(namespace !== undefined && { namespace }) };
  return type === 'custom'
    ? { type: 'custom_tool_call', id: itemId.customCall(messageId, index), ...called, input: '' }
    : { type: 'function_call', id: itemId.functionCall(messageId, index), ...called, arguments: '' };
}

/** @param index its place among the messages of the reply */
export function newMessage(messageId: number, index: number, phase: string | undefined): MessageItem {
  const id = itemId.message(messageId, index);
  const said = { role: 'assistant' as const, content: [outputText('')], ...(phase !== undefined && { phase }) };
  return { type: 'message', id, status: 'in_progress', ...said };
}

/** @param index its place among the thoughts of the reply */
export function newReasoning(messageId: number, index: number, hasSummaries: boolean): ReasoningItem {
  const id = itemId.reasoning(messageId, index);
  const content: ReasoningItem['content'] = [{ type: 'reasoning_text', text: '' }];
  const summary = hasSummaries ? [summaryText('')] : [];
  return { type: 'reasoning', id, status: 'in_progress', summary, content };
}

/** Both kinds have one part, the text. */
export function addText(item: MessageItem | ReasoningItem, text: string): void {
  const part = item.content[0] as { text: string };
  part.text += text;
  if (item.type === 'reasoning' && item.summary[0] !== undefined) {
    // The same string, which is in memory once.
    item.summary[0].text = part.text;
  }
}
