import { beginningOf, characterStart } from '../../../../common/text/surrogate-pairs';
import { estimateParts } from '../../../../integrations/llm/counting/prompt-estimate';
import { estimateTokens } from '../../../../integrations/llm/counting/token-estimate';
import type { CompactionPart, MessagePart } from '../../../../integrations/llm/port/message-parts';
import type { Turn, TurnPart } from '../../reply/stored-parts';

/** A turn that models can be told. */
export interface OpenTurn extends Turn {
  parts: readonly MessagePart[] | null;
  /** Whether it says what was said before, in short. */
  isSummary?: true;
}

/** Tokens of the turns when a summary stands for a part of them. */
export interface CompactedRoom {
  /** For all of them. */
  all: number;
  /** For what the user said before the summary, beside the question that is to be answered now. */
  kept: number;
}

/** Of the room, what a summary takes at most: the question must have room beside it. */
const LARGEST_SUMMARY = 1 / 2;

/** Tokens that a summary has in any case: less would say nothing. */
const SHORTEST_SUMMARY = 64;

const INTRODUCTION =
  'The conversation before this point was made shorter. This summary stands for what is missing of it; what was to be ' +
  'done goes on from here:';

/**
 * The turns as they are told when the conversation was made shorter: the last summary that can be opened stands for all that
 * the model said and called before it. What the user said before stays, as far as it fits, and so do instructions. Only what
 * follows the summary may be longer than the room: the oldest of that must go then.
 *
 * @param open gives the summary; null: it cannot be opened, and is left out
 */
export function compactedTurns(
  turns: readonly Turn[],
  open: (part: CompactionPart) => string | null,
  { all, kept }: CompactedRoom,
): readonly OpenTurn[] {
  if (!turns.some(hasSealed)) {
    return turns as readonly OpenTurn[];
  }
  const found = lastSummary(turns, open);
  if (found === null) {
    return withoutSealed(turns);
  }
  const { place, index, summary } = found;
  const { parts, ...turn } = turns[place] as Turn;
  const rest = (parts ?? []).slice(index + 1).filter(isOpen);
  const same = rest.length === 0 ? [] : [{ ...turn, content: textOf(rest), parts: rest }];
  const after = [...same, ...withoutSealed(turns.slice(place + 1))];
  const before = withoutSealed(turns.slice(0, place)).filter((one) => one.role === 'system' || isOwn(one));
  // Where the user has said nothing since, the question stands before the summary.
  const question = after.some(isOwn) ? undefined : before.findLast(isOwn);
  const staying = new Set(before.filter((one) => one.role === 'system' || one === question));
  const left = all - tokensOf([...staying]);
  const most = Math.max(Math.min(left, all * LARGEST_SUMMARY), SHORTEST_SUMMARY);
  const told: OpenTurn = {
    role: 'user',
    content: `${INTRODUCTION}\n\n${cutMiddle(summary, most)}`,
    parts: null,
    isSummary: true,
  };
  const newest = newestWithin(
    before.filter((one) => !staying.has(one)),
    Math.min(kept, left - tokensOf([told, ...after])),
  );
  return [...before.filter((one) => staying.has(one) || newest.has(one)), told, ...after];
}

/** Whether a model may be told it as it stands. */
export function isOpen(part: TurnPart): part is MessagePart {
  return part.type !== 'compaction';
}

export function hasSealed({ parts }: Pick<Turn, 'parts'>): boolean {
  return parts?.some(({ type }) => type === 'compaction') ?? false;
}

/** Of sealed parts no more are opened than it takes to find one. */
function lastSummary(
  turns: readonly Turn[],
  open: (part: CompactionPart) => string | null,
): { place: number; index: number; summary: string } | null {
  for (let place = turns.length - 1; place >= 0; place--) {
    const parts = turns[place]?.parts ?? [];
    for (let index = parts.length - 1; index >= 0; index--) {
      const part = parts[index];
      const summary = part?.type === 'compaction' ? open(part) : null;
      if (summary !== null) {
        return { place, index, summary };
      }
    }
  }
  return null;
}

/** The newest turns that fit, without gaps. */
function newestWithin(turns: readonly OpenTurn[], tokens: number): ReadonlySet<OpenTurn> {
  const fitting = new Set<OpenTurn>();
  let left = tokens;
  for (const turn of turns.toReversed()) {
    left -= tokensOf([turn]);
    if (left < 0) {
      break;
    }
    fitting.add(turn);
  }
  return fitting;
}

function tokensOf(turns: readonly OpenTurn[]): number {
  return turns.reduce((sum, { content, parts }) => sum + (parts ? estimateParts(parts) : estimateTokens(content)), 0);
}

/** What the user said, and no function. */
function isOwn(turn: Turn): boolean {
  return turn.role === 'user' && !isAnswer(turn);
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

function textOf(parts: readonly MessagePart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** More UTF-16 units than any token has by estimate: a long text is cut to what may fit before it is counted. */
const UNITS_PER_TOKEN = 4;

const CUT = '\n[…]\n';

/** Beginning and end of a text that has more tokens. */
export function cutMiddle(text: string, tokens: number): string {
  let cut = halves(text, (tokens * UNITS_PER_TOKEN) / 2);
  for (let length = cut.length / 2; length > 1 && estimateTokens(cut) > tokens;) {
    length = Math.floor(length * 0.75);
    cut = halves(text, length);
  }
  return cut;
}

function halves(text: string, length: number): string {
  return text.length <= 2 * length
    ? text
    : beginningOf(text, Math.floor(length)) + CUT + text.slice(characterStart(text, text.length - Math.floor(length)));
}
