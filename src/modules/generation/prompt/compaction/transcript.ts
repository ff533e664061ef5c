import { estimateTokens } from '../../../../integrations/llm/counting/token-estimate';
import type { MessagePart } from '../../../../integrations/llm/port/message-parts';
import type { OpenTurn } from './compacted-turns';
import { cutMiddle } from './cut-middle';

/** A block may have this share of the room: a long result must not push out everything else. */
const LARGEST_SHARE = 1 / 4;

const SPEAKERS = { system: 'Instructions', user: 'User', assistant: 'Assistant' } as const;

/**
 * A conversation as one text, for a model that is to sum it up: it needs neither functions nor images for that. Of a long one
 * the newest turns.
 *
 * @param room tokens of the text
 */
export function transcript(turns: readonly OpenTurn[], room: number): string {
  const largest = Math.max(1, Math.floor(room * LARGEST_SHARE));
  const blocks: string[] = [];
  let left = room;
  for (const turn of turns.toReversed()) {
    const block = cutMiddle(blockOf(turn, largest), largest);
    left -= estimateTokens(block);
    if (left < 0) {
      break;
    }
    blocks.push(block);
  }
  return blocks.reverse().join('\n\n');
}

function blockOf({ role, content, parts }: OpenTurn, largest: number): string {
  const texts = (parts ?? [{ type: 'text', text: content } as const]).map((part) => textOf(part, largest));
  return `${SPEAKERS[role]}: ${texts.filter((text) => text !== '').join('\n')}`;
}

function textOf(part: MessagePart, largest: number): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'tool_call':
      return `[calls ${part.name} as ${part.id}] ${cutMiddle(part.arguments, largest)}`;
    case 'tool_result':
      return `[result of ${part.id}] ${cutMiddle(part.content, largest)}`;
    case 'reasoning':
      return '';
    default:
      return `[${part.type}${part.name === null ? '' : ` ${part.name}`}]`;
  }
}
