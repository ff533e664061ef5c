import { beginningOf, characterStart } from '../../../../common/text/surrogate-pairs';
import { estimateParts } from '../../../../integrations/llm/counting/prompt-estimate';
import { estimateTokens } from '../../../../integrations/llm/counting/token-estimate';
import type { CompactionPart } from '../../../../integrations/llm/port/message-parts';
import type { OpenPart, Turn, TurnPart } from '../../reply/stored-parts';

/** A turn without sealed parts, ready for a prompt. */
export interface OpenTurn extends Turn {
  parts: readonly OpenPart[] | null;
  /** Whether it is the summary of the turns before it. */
  isSummary?: true;
}

/** Token limits for turns of which a summary replaces some. */
export interface CompactedRoom {
  /** For all turns. */
  all: number;
  /** For the user's messages before the summary, except the current question. */
  kept: number;
}

/** Maximum share of the summary, because the question needs space too. */
const LARGEST_SUMMARY = 1 / 2;

/** Minimum tokens of a summary. A shorter one would be useless. */
const SHORTEST_SUMMARY = 64;

const INTRODUCTION =
  'The conversation before this point was made shorter. This summary stands for what is missing of it; what was to be ' +
  'done goes on from here:';

/**
 * The turns of a compacted conversation. The last summary that can be opened replaces all model output and tool calls
 * before it. Earlier user messages stay as far as they fit, and so do instructions. Only the turns after the summary
 * may exceed the limit; the caller then drops the oldest of them.
 *
 * @param open returns the summary. Null: it cannot be opened and is omitted
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
  // If the user wrote nothing after the summary, the question is before it.
  const question = after.some(isOwn) ? undefined : before.findLast(isOwn);
  const staying = new Set(before.filter((one) => one.role === 'system' || one === question));
  const left = all - tokensOf([...staying]);
  const most = Math.max(Math.min(left, all * LARGEST_SUMMARY), SHORTEST_SUMMARY);
  const transcript: OpenTurn = {
    role: 'user',
    content: `${INTRODUCTION}\n\n${cutMiddle(summary, most)}`,
    parts: null,
    isSummary: true,
  };
  const newest = newestWithin(
    before.filter((one) => !staying.has(one)),
    Math.min(kept, left - tokensOf([transcript, ...after])),
  );
  return [...before.filter((one) => staying.has(one) || newest.has(one)), transcript, ...after];
}

/** Whether the part is not sealed. */
export function isOpen(part: TurnPart): part is OpenPart {
  return part.type !== 'compaction';
}

export function hasSealed({ parts }: Pick<Turn, 'parts'>): boolean {
  return parts?.some(({ type }) => type === 'compaction') ?? false;
}

/** Opens sealed parts from the newest on, only until one can be opened. */
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

/** Whether the user wrote the turn; tool results also have the role `user`. */
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

function textOf(parts: readonly OpenPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/**
 * More UTF-16 code units than the estimate assumes for any token. Cutting a long text to this first saves estimating
 * all of it.
 */
const UNITS_PER_TOKEN = 4;

const CUT = '\n[…]\n';

/** Keeps the start and the end of a text that exceeds the token limit. */
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
