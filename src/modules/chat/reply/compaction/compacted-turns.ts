import type { CompactionPart, MessagePart } from '../../../../integrations/llm/message-parts';
import { estimateParts } from '../../../../integrations/llm/prompt-estimate';
import { estimateTokens } from '../../../../integrations/llm/token-estimate';
import type { Turn, TurnPart } from '../running-reply';

/** A turn that models can be told. */
export interface OpenTurn extends Turn {
  parts: readonly MessagePart[] | null;
}

/** How much more room the last turn of the user has than all others together. */
const ROOM_OF_LAST = 3;

const INTRODUCTION =
  'The conversation before this point was made shorter. This summary stands for what is missing of it; what was to be ' +
  'done goes on from here:';

/**
 * The turns as they are told when the conversation was made shorter: the last summary that can be opened stands for all that
 * the model said and called before it. What the user said before stays, as far as it fits, and so do instructions.
 *
 * @param open gives the summary; null: it cannot be opened, and is left out
 * @param room tokens for what the user said before
 */
export function compactedTurns(
  turns: readonly Turn[],
  open: (part: CompactionPart) => string | null,
  room: number,
): readonly OpenTurn[] {
  if (turns.every(({ parts }) => parts?.every(isOpen) ?? true)) {
    return turns as readonly OpenTurn[];
  }
  for (let place = turns.length - 1; place >= 0; place--) {
    const { parts, ...turn } = turns[place] as Turn;
    for (let index = (parts ?? []).length - 1; index >= 0; index--) {
      const part = parts?.[index];
      const summary = part?.type === 'compaction' ? open(part) : null;
      if (summary !== null) {
        const told: OpenTurn = { role: 'user', content: `${INTRODUCTION}\n\n${summary}`, parts: null };
        const rest = (parts ?? []).slice(index + 1).filter(isOpen);
        const after = rest.length === 0 ? [] : [{ ...turn, content: textOf(rest), parts: rest }];
        return [...kept(turns.slice(0, place), room), told, ...after, ...withoutSealed(turns.slice(place + 1))];
      }
    }
  }
  return withoutSealed(turns);
}

/** Instructions, and the newest turns of the user's own that fit. The last one is asked now, and may be longer. */
function kept(turns: readonly Turn[], room: number): OpenTurn[] {
  let left = ROOM_OF_LAST * room;
  const told = withoutSealed(turns)
    .toReversed()
    .filter((turn) => {
      if (turn.role !== 'user' || left < 0 || isAnswer(turn)) {
        return turn.role === 'system';
      }
      const { content, parts } = turn;
      left -= parts === null ? estimateTokens(content) : estimateParts(parts);
      const isFitting = left >= 0;
      left = Math.min(left, room);
      return isFitting;
    });
  return told.reverse();
}

function isAnswer({ parts }: Turn): boolean {
  return parts?.some(({ type }) => type === 'tool_result') ?? false;
}

function withoutSealed(turns: readonly Turn[]): OpenTurn[] {
  return turns.flatMap(({ parts, ...turn }): OpenTurn[] => {
    const open = parts?.filter(isOpen) ?? null;
    return parts !== null && parts.length > 0 && open?.length === 0 ? [] : [{ ...turn, parts: open }];
  });
}

/** Whether a model may be told it as it stands. */
export function isOpen(part: TurnPart): part is MessagePart {
  return part.type !== 'compaction';
}

function textOf(parts: readonly MessagePart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
