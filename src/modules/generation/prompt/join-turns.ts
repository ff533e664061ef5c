import { joinMessages } from '../../../integrations/llm/port/join-messages';
import type { ModelMessage } from '../../../integrations/llm/port/language-model-provider';
import { contentOf, type MessagePart } from '../../../integrations/llm/port/message-parts';
import { wordsOf } from '../reply/turn';
import type { OpenTurn } from './compaction/compacted-turns';

/**
 * The turns as models accept them. Neighbours of the same role become one turn, which a reply without text leaves behind:
 * some models refuse two turns of one role in a row, and the blank line between their texts costs fewer tokens than a turn.
 * Calls of functions without a result, and results without their call, are left out: all providers refuse them.
 */
export function joinTurns(turns: readonly OpenTurn[]): ModelMessage[] {
  const separate = turns.flatMap(separated);
  const answered = answeredCalls(separate);
  const joined: ModelMessage[] = [];
  for (const turn of separate) {
    const { role, parts } = turn;
    const told = parts && parts.filter((part) => isTold(part, answered));
    const message: ModelMessage = {
      role,
      content: wordsOf(turn),
      ...(told && { parts: told }),
      ...(turn.isSummary && { hasSummary: true }),
    };
    const last = joined.at(-1);
    if (last?.role === role) {
      joined[joined.length - 1] = joinMessages(last, message);
    } else if (told === null || told.length > 0) {
      joined.push(message);
    }
  }
  return joined;
}

/** A reply that has results of its own calls, as the turns of which it was made: what the model said, and what it was told. */
function separated(turn: OpenTurn): OpenTurn[] {
  const { role, parts } = turn;
  if (role !== 'assistant' || !parts?.some(({ type }) => type === 'tool_result')) {
    return [turn];
  }
  const turns: (OpenTurn & { parts: MessagePart[] })[] = [];
  for (const part of parts) {
    const speaker = part.type === 'tool_result' ? 'user' : 'assistant';
    const last = turns.at(-1);
    if (last?.role === speaker) {
      last.parts.push(part);
    } else {
      turns.push({ role: speaker, content: '', parts: [part] });
    }
  }
  return turns.map((one) => ({ ...one, content: contentOf(one.parts) }));
}

/** The ids of calls whose result comes later, before the model speaks again. */
function answeredCalls(turns: readonly OpenTurn[]): ReadonlySet<string> {
  const answered = new Set<string>();
  let open = new Set<string>();
  let speaker: OpenTurn['role'] | null = null;
  for (const { role, parts } of turns) {
    if (role === 'assistant' && speaker !== 'assistant') {
      open = new Set();
    }
    speaker = role;
    for (const part of parts ?? []) {
      if (part.type === 'tool_call') {
        open.add(part.id);
      } else if (part.type === 'tool_result' && open.has(part.id)) {
        answered.add(part.id);
      }
    }
  }
  return answered;
}

/** Files that a call returned go with its result. */
function isTold(part: MessagePart, answered: ReadonlySet<string>): boolean {
  switch (part.type) {
    case 'tool_call':
    case 'tool_result':
      return answered.has(part.id);
    case 'image':
    case 'file':
      return part.call_id === undefined || answered.has(part.call_id);
    default:
      return true;
  }
}
