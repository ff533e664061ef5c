import { estimateTokens } from '../../../../integrations/llm/counting/token-estimate';
import type { Turn } from '../../../generation/generation.api';
import type { InputContent, MessageItem } from '../wire/response-item';
import { itemId } from '../wire/wire-ids';

/** Tokens of what the user said that stays as it was. */
const ROOM = 20_000;

/**
 * What of a conversation stays beside its summary: instructions, and the newest words of the user that fit. Files do not; the
 * summary has what the model saw in them.
 */
export function retainedItems(messageId: number, turns: readonly Turn[]): MessageItem[] {
  let left = ROOM;
  const kept = turns.toReversed().filter((turn) => {
    if (turn.content === '' || turn.role === 'assistant' || turn.parts?.some(({ type }) => type === 'tool_result')) {
      return false;
    }
    left -= turn.role === 'system' || left < 0 ? 0 : estimateTokens(turn.content);
    return turn.role === 'system' || left >= 0;
  });
  return kept.reverse().map(({ role, content }, index) => {
    const said: InputContent[] = [{ type: 'input_text', text: content }];
    return { type: 'message', id: itemId.message(messageId, index), status: 'completed', role, content: said };
  });
}
