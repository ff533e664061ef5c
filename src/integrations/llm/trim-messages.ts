import type { ModelMessage } from './language-model-provider';
import { estimatePrompt } from './prompt-estimate';

/**
 * The newest turns that fit into so many tokens. The system prompt, the last turn of the user's own and the last message
 * always stay. The first turn is the user's, because some models require it. Results stay with the calls before them: a
 * provider refuses one without the other. Between the user's last turn and the rounds of calls after it, old rounds may go.
 */
export function trimMessages(messages: readonly ModelMessage[], tokens: number): ModelMessage[] {
  const system = messages.filter(({ role }) => role === 'system');
  const blocks = blocksOf(messages.filter(({ role }) => role !== 'system'));
  const question = blocks.findLastIndex(isUsers);
  const isBetween = question !== -1 && question < blocks.length - 1;
  const kept = [...system, ...(blocks.at(-1) ?? []), ...(isBetween ? (blocks[question] ?? []) : [])];
  const first = firstBlock(blocks, question, tokens - estimatePrompt(kept));
  if (first > question) {
    return [...system, ...(blocks[question] ?? []), ...blocks.slice(first).flat()];
  }
  const start = blocks.findIndex((block, index) => index >= first && isUsers(block));
  return [...system, ...blocks.slice(start).flat()];
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

/** The oldest block that fits, with all after it. The last one and the question are paid for. */
function firstBlock(blocks: readonly ModelMessage[][], question: number, tokens: number): number {
  let left = tokens;
  let first = Math.max(blocks.length - 1, 0);
  while (first > 0) {
    const before = first - 1;
    left -= before === question ? 0 : estimatePrompt(blocks[before] ?? []);
    if (left < 0) {
      break;
    }
    first = before;
  }
  return first;
}

function isUsers([turn]: readonly ModelMessage[]): boolean {
  return turn?.role === 'user' && !holdsResults(turn);
}

function holdsResults({ parts }: ModelMessage): boolean {
  return parts?.some(({ type }) => type === 'tool_result') ?? false;
}
