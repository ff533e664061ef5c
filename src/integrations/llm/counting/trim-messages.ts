import { joinMessages, type ModelMessage } from '../port/language-model-provider';
import { estimatePrompt } from './prompt-estimate';

/**
 * The newest turns that fit into the given tokens. The system prompt, the last turn that the user wrote and the last
 * message always stay, and so does a summary of earlier messages as long as it fits. The first turn is the user's,
 * because some models require it. Results stay with the calls before them, because a provider refuses one without the
 * other. Old rounds of calls after the user's last turn may be dropped.
 */
export function trimMessages(messages: readonly ModelMessage[], tokens: number): ModelMessage[] {
  const system = messages.filter(({ role }) => role === 'system');
  const blocks = blocksOf(messages.filter(({ role }) => role !== 'system'));
  const question = blocks.findLastIndex(isUsers);
  const staying = new Set([question, blocks.length - 1]);
  let left = tokens - estimatePrompt([...system, ...blocks.filter((_block, index) => staying.has(index)).flat()]);
  const summary = blocks.findLastIndex((block, index) => index < question && block.some(isSummary));
  const size = estimatePrompt(blocks[summary] ?? []);
  const hasSummary = summary !== -1 && size <= left;
  if (hasSummary) {
    staying.add(summary);
    left -= size;
  }
  const first = firstBlock(blocks, staying, left);
  const isBehindSummary = hasSummary && summary < first;
  const start =
    first > question || isBehindSummary ? first : blocks.findIndex((block, index) => index >= first && isUsers(block));
  const asked = question < start ? (blocks[question] ?? []) : [];
  const rest = [...asked, ...blocks.slice(start).flat()];
  return [...system, ...(isBehindSummary ? behind(blocks[summary] ?? [], rest) : rest)];
}

/** Turns that stay together: a turn, and the results after it. */
function blocksOf(turns: readonly ModelMessage[]): ModelMessage[][] {
  const blocks: ModelMessage[][] = [];
  for (const turn of turns) {
    const last = blocks.at(-1);
    if (last !== undefined && holdsResults(turn)) {
      last.push(turn);
    } else {
      blocks.push([turn]);
    }
  }
  return blocks;
}

/**
 * The oldest block that fits, with all later ones. The tokens of the blocks that always stay are already subtracted.
 */
function firstBlock(blocks: readonly ModelMessage[][], staying: ReadonlySet<number>, tokens: number): number {
  let left = tokens;
  let first = Math.max(blocks.length - 1, 0);
  while (first > 0) {
    const before = first - 1;
    left -= staying.has(before) ? 0 : estimatePrompt(blocks[before] ?? []);
    if (left < 0) {
      break;
    }
    first = before;
  }
  return first;
}

/** Puts a summary before turns that do not directly follow it. */
function behind(summary: ModelMessage[], [next, ...rest]: ModelMessage[]): ModelMessage[] {
  const last = summary.at(-1);
  return last !== undefined && next?.role === 'user'
    ? [...summary.slice(0, -1), joinMessages(last, next), ...rest]
    : [...summary, ...(next ? [next] : []), ...rest];
}

function isUsers([turn]: readonly ModelMessage[]): boolean {
  return turn?.role === 'user' && !holdsResults(turn);
}

function isSummary({ hasSummary }: ModelMessage): boolean {
  return hasSummary === true;
}

function holdsResults({ parts }: ModelMessage): boolean {
  return parts?.some(({ type }) => type === 'tool_result') ?? false;
}
