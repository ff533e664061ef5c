import type { CompletionRequest, ModelMessage } from '../../port/language-model-provider';
import type { MessagePart, ToolCallPart, ToolChoice, ToolDefinition, ToolResultPart } from '../../port/message-parts';
import { isObject, type JsonObject } from '../json-object';

/** The functions that a model may call now, and whether it must. */
export interface OfferedTools {
  tools: readonly ToolDefinition[];
  choice: Exclude<ToolChoice, { mode: string }> | undefined;
}

/** The schema of a function without arguments. */
export const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {}, additionalProperties: false };

/** Replaces a result that never arrived, because APIs refuse a call without one. */
const NO_RESULT = 'There is no result: the call was not answered.';

/**
 * Turns in the form that APIs require: the results of all calls of a turn come first in the next turn, which is the
 * user's. Without this, one unanswered call would break its conversation for good.
 */
export function inToolOrder(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.some(holdsTools) ? withAllResults(joinNeighbours(messages)) : messages;
}

function holdsTools({ parts }: ModelMessage): boolean {
  return parts?.some(({ type }) => type === 'tool_call' || type === 'tool_result') ?? false;
}

/**
 * Joins consecutive turns of one role if one has calls or results, because clients send each of them as a separate
 * turn.
 */
function joinNeighbours(messages: readonly ModelMessage[]): ModelMessage[] {
  const turns: ModelMessage[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last?.role === message.role && (holdsTools(last) || holdsTools(message))) {
      turns[turns.length - 1] = turnOf(message.role, [...partsOf(last), ...partsOf(message)]);
    } else {
      turns.push(message);
    }
  }
  return turns;
}

function withAllResults(turns: readonly ModelMessage[]): ModelMessage[] {
  return turns.flatMap((turn, index) => {
    if (turn.role === 'user') {
      return [withResultsFirst(turn, callsOf(turns[index - 1]))];
    }
    const calls = callsOf(turn);
    const isAnswered = calls.length === 0 || turns[index + 1]?.role === 'user';
    return isAnswered ? [turn] : [turn, turnOf('user', calls.map(missingResult))];
  });
}

/** Results that belong to no call of the previous turn become text. */
function withResultsFirst(turn: ModelMessage, calls: readonly ToolCallPart[]): ModelMessage {
  const parts = partsOf(turn);
  const results = parts.filter((part) => part.type === 'tool_result');
  if (results.length === 0 && calls.length === 0) {
    return turn;
  }
  const isResultOf = (result: ToolResultPart): boolean => calls.some(({ id }) => id === result.id);
  const missing = calls.filter(({ id }) => !results.some((result) => result.id === id)).map(missingResult);
  const others = parts.filter((part) => part.type !== 'tool_result' || !isResultOf(part));
  return turnOf('user', [...results.filter(isResultOf), ...missing, ...others.map(withoutResult)]);
}

function withoutResult(part: MessagePart): MessagePart {
  return part.type === 'tool_result' ? { type: 'text', text: `Result of ${part.id}: ${part.content}` } : part;
}

function missingResult({ id }: ToolCallPart): ToolResultPart {
  return { type: 'tool_result', id, content: NO_RESULT };
}

function callsOf(turn: ModelMessage | undefined): ToolCallPart[] {
  return turn?.role === 'assistant' ? partsOf(turn).filter((part) => part.type === 'tool_call') : [];
}

function partsOf({ content, parts }: ModelMessage): readonly MessagePart[] {
  return parts ?? (content === '' ? [] : [{ type: 'text', text: content }]);
}

function turnOf(role: ModelMessage['role'], parts: readonly MessagePart[]): ModelMessage {
  const texts = parts.filter((part) => part.type === 'text').map(({ text }) => text);
  return { role, content: texts.join('\n\n'), parts };
}

/**
 * The arguments of an earlier call as an object, which APIs require. Arguments that are no object are stored under the
 * key that Anthropic's documentation names for this.
 */
export function toolArguments(text: string): JsonObject {
  if (text.trim() === '') {
    return {};
  }
  const parsed = parseJson(text);
  return isObject(parsed) ? parsed : { INVALID_JSON: text };
}

/** The arguments as text. An object stays exactly as the model wrote it, because its prompt may be cached. */
export function toolArgumentsText(text: string): string {
  return isObject(parseJson(text)) ? text : JSON.stringify(toolArguments(text));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A choice among some functions offers only those, because only OpenAI's own API supports such a choice. */
export function offeredTools({ tools = [], toolChoice }: CompletionRequest): OfferedTools {
  if (typeof toolChoice !== 'object' || !('mode' in toolChoice)) {
    return { tools, choice: toolChoice };
  }
  const { mode, allowed } = toolChoice;
  return { tools: tools.filter(({ name }) => allowed.includes(name)), choice: mode };
}
