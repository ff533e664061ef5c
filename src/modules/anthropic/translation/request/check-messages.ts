import { LONGEST_TEXT } from '../../../../common/http/body/json-scan';
import { countCharacters } from '../../../../common/validation/fields';
import type { RequestBlock, RequestMessage } from './message-request.schema';
import { refuseIf } from './refuse-if';

/**
 * Checks rules that the schema cannot express: the first turn is the user's, each result has its call in the turn
 * before, and no message has only empty texts.
 *
 * @throws InvalidParameterError
 */
export function checkMessages(messages: readonly RequestMessage[]): void {
  const first = messages.findIndex(({ role }) => role !== 'system');
  refuseIf(messages[first]?.role === 'assistant', `messages.${first}.role`, 'conflicts');
  let calls = new Set<string>();
  let speaker: RequestMessage['role'] | null = null;
  messages.forEach(({ role, content }, index) => {
    const field = `messages.${index}.content`;
    refuseIf(isBlank(content), field, 'blank');
    if (role === 'system') {
      return;
    }
    if (role === 'assistant' && speaker === 'user') {
      calls = new Set();
    }
    speaker = role;
    blocksOf(content).forEach((block, place) => {
      if (block.type === 'tool_use') {
        calls.add(block.id);
      } else if (block.type === 'tool_result') {
        refuseIf(!calls.has(block.tool_use_id), `${field}.${place}`, 'conflicts');
      }
      refuseLongBlock(block, `${field}.${place}`);
    });
  });
}

function isBlank(content: RequestMessage['content']): boolean {
  if (typeof content === 'string') {
    return content.trim() === '';
  }
  return content.length > 0 && content.every((block) => block.type === 'text' && block.text.trim() === '');
}

function blocksOf(content: RequestMessage['content']): readonly RequestBlock[] {
  return typeof content === 'string' ? [] : content;
}

/** The texts of one block together have at most the length of a single text. */
function refuseLongBlock(block: RequestBlock, field: string): void {
  const texts = textsOf(block);
  const units = texts.reduce((sum, { length }) => sum + length, 0);
  // A character has one or two code units, so the slow count is rarely needed.
  const isLong = units > LONGEST_TEXT && texts.reduce((sum, text) => sum + countCharacters(text), 0) > LONGEST_TEXT;
  refuseIf(isLong, field, 'too_long', { maximum: LONGEST_TEXT });
}

function textsOf(block: unknown): string[] {
  if (Array.isArray(block)) {
    return block.flatMap(textsOf);
  }
  if (typeof block !== 'object' || block === null) {
    return [];
  }
  const { type, text, content, source, title, context } = block as Record<string, unknown>;
  const data = type === 'text' && 'data' in block ? block.data : undefined;
  const own = [text, title, context, data, typeof content === 'string' ? content : undefined, source];
  return [...own.filter((one) => typeof one === 'string'), ...textsOf(content), ...textsOf(source)];
}
