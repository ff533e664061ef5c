import { InvalidParameterError } from '../../../../common/errors/validation.errors';
import {
  type BinaryPart,
  type CalledTool,
  contentOf,
  type MessagePart,
  type ToolCallPart,
} from '../../../../integrations/llm/port/message-parts';
import { modelToolName, type Turn, withFileTexts } from '../../../generation/generation.api';
import { refuseLongParts } from '../../input/item-text';
import { customArguments } from '../../tools/custom-input';
import { isPlain } from '../../tools/offered-tools';
import type { AssistantMessage, CompletionMessage, ToolCallMessage, ToolMessage, UserPart } from './message.schema';

/** The content of the images and files in the messages. */
export type ReadFiles = ReadonlyMap<UserPart, BinaryPart>;

/** Converts the messages of a request to turns, in order, without empty messages. */
export function turnsOf(messages: readonly CompletionMessage[], files: ReadFiles): Turn[] {
  const turns = messages
    .map((message) => turnOf(message, files))
    .filter(({ content, parts }) => content !== '' || (parts ?? []).length > 0);
  const last = turns.at(-1);
  // Some clients request a title with only instructions. Models expect a user message.
  return last !== undefined && turns.every(({ role }) => role === 'system')
    ? [...turns.slice(0, -1), { ...last, role: 'user' }]
    : turns;
}

/**
 * Checks rules that the schema cannot express: each function call has a result, each result has a call, and there is a
 * message to answer.
 *
 * @throws InvalidParameterError
 */
export function checkConversation(messages: readonly CompletionMessage[]): void {
  let open: { field: string; ids: Set<string> } | null = null;
  messages.forEach((message, index) => {
    const field = `messages[${index}]`;
    refuseLongParts(message.content, `${field}.content`);
    if (message.role === 'tool') {
      refuse(!open?.ids.delete(message.tool_call_id), `${field}.tool_call_id`, 'conflicts');
      return;
    }
    refuse((open?.ids.size ?? 0) > 0, open?.field ?? field, 'conflicts');
    open = null;
    if (message.role === 'assistant') {
      const calls = message.tool_calls ?? [];
      // Some clients store empty replies with null instead of a text.
      const isMissing = calls.length === 0 && message.content === undefined && !isGiven(message.refusal);
      refuse(isMissing, `${field}.content`, 'required');
      open = { field: `${field}.tool_calls`, ids: new Set(calls.map(({ id }) => id)) };
      refuse(open.ids.size < calls.length, open.field, 'duplicate');
    }
  });
  const unanswered = open as { field: string; ids: Set<string> } | null;
  refuse((unanswered?.ids.size ?? 0) > 0, unanswered?.field ?? '', 'conflicts');
  checkQuestion(messages);
}

/** A message from the user or a tool must follow the last message of the model. */
function checkQuestion(messages: readonly CompletionMessage[]): void {
  const last = messages.findLastIndex(({ role }) => role === 'user' || role === 'tool' || role === 'assistant');
  const index = last === -1 ? messages.length - 1 : last;
  const question = messages[index];
  refuse(question?.role === 'assistant', 'messages', 'conflicts');
  const isBlank = question?.role !== 'tool' && textOf(question?.content ?? '').trim() === '' && !hasFiles(question);
  refuse(isBlank, `messages[${index}].content`, 'blank');
}

function refuse(isFault: boolean, field: string, reason: string): void {
  if (isFault) {
    throw new InvalidParameterError([{ field, reason }]);
  }
}

function turnOf(message: CompletionMessage, files: ReadFiles): Turn {
  switch (message.role) {
    case 'assistant':
      return assistantTurn(message);
    case 'tool': {
      const parts = resultParts(message, files);
      return { role: 'user', content: contentOf(parts), parts };
    }
    case 'user':
      return { role: 'user', content: textOf(message.content), parts: userParts(message.content, files) };
    default:
      return { role: 'system', content: textOf(message.content), parts: null };
  }
}

function assistantTurn({ content, refusal, tool_calls: calls }: AssistantMessage): Turn {
  const text = textOf(content ?? '') || (refusal ?? '');
  const callParts = (calls ?? []).map(toCallPart);
  const textParts: MessagePart[] = text === '' ? [] : [{ type: 'text', text }];
  return { role: 'assistant', content: text, parts: callParts.length === 0 ? null : [...textParts, ...callParts] };
}

/** A call with the tool's name in the prompt and its original name. */
function toCallPart(call: ToolCallMessage): ToolCallPart {
  const { name, namespace } = 'custom' in call ? call.custom : call.function;
  const tool: CalledTool = {
    type: 'custom' in call ? 'custom' : 'function',
    name,
    ...(namespace && { namespace }),
  };
  return {
    type: 'tool_call',
    id: call.id,
    name: modelToolName(tool),
    arguments: 'custom' in call ? customArguments(call.custom.input) : call.function.arguments,
    ...(!isPlain(tool) && { tool }),
  };
}

/** The text of a result, and its images and files. */
function resultParts({ tool_call_id: id, content }: ToolMessage, files: ReadFiles): MessagePart[] {
  const words = withFileTexts({ content: '', parts: userParts(content, files) }).parts;
  const returned = (words ?? []).filter((part) => part.type === 'image' || part.type === 'file');
  const text = words === null ? textOf(content) : contentOf(words);
  return [{ type: 'tool_result', id, content: text }, ...returned.map((file) => ({ ...file, call_id: id }))];
}

/** Null for only text. Empty texts are omitted, because some providers reject them. */
function userParts(content: string | UserPart[], files: ReadFiles): MessagePart[] | null {
  if (typeof content === 'string' || content.every(({ type }) => type === 'text')) {
    return null;
  }
  return content.flatMap((part): MessagePart[] => {
    const file = files.get(part);
    return part.type === 'text' ? (part.text === '' ? [] : [part]) : file ? [file] : [];
  });
}

/** Joins the texts of several parts with line breaks. */
function textOf(content: string | readonly { type: string }[]): string {
  if (typeof content === 'string') {
    return content;
  }
  const texts = content.map((part) => ('text' in part ? part.text : 'refusal' in part ? part.refusal : '') as string);
  return texts.filter((text) => text !== '').join('\n');
}

function hasFiles(message: CompletionMessage | undefined): boolean {
  const parts = message?.role === 'user' && typeof message.content !== 'string' ? message.content : [];
  return parts.some(({ type }) => type !== 'text');
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
