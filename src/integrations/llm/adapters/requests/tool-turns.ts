import type { ModelMessage } from '../../port/language-model-provider';
import type { MessagePart, ToolCallPart, ToolResultPart } from '../../port/message-parts';

/** In the place of a result that never came: APIs refuse a call without one. */
const NO_RESULT = 'There is no result: the call was not answered.';

/**
 * Turns as APIs require them: the results of all calls of a turn stand first in the next turn, which is the user's. Without
 * this, one call that was never answered would spoil its conversation for good.
 */
export function inToolOrder(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.some(holdsTools) ? withAllResults(joinNeighbours(messages)) : messages;
}

function holdsTools({ parts }: ModelMessage): boolean {
  return parts?.some(({ type }) => type === 'tool_call' || type === 'tool_result') ?? false;
}

/** Joins turns of one role in a row where one has calls or results: clients send each of them as a turn of its own. */
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

/** Results of no call of the turn before become text. */
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
