import type { EntityManager } from 'typeorm';
import { runForRow } from '../../../database/statements/run-statement';
import { mostMessages, type ToldSize } from '../../generation/generation.api';
import { MESSAGE_OVERHEAD_TOKENS } from '../history/history-statements';
import { MOST_SUMMED_UP } from '../history/told-conversation';
import type { ExchangePlan } from './exchange-plan';

const IMAGE = '"type":"image"';

/** Conversation, position, most messages. Tokens and images of the newest messages on the current line before a position. */
const BEFORE = `
  SELECT SUM(token_count + ${MESSAGE_OVERHEAD_TOKENS}),
    SUM((LENGTH(parts) - LENGTH(REPLACE(parts, '${IMAGE}', ''))) / ${IMAGE.length})
  FROM (
    SELECT token_count, parts FROM chat_messages
    WHERE chat_id = ? AND position < ? AND is_current = 1
    ORDER BY position DESC LIMIT ?
  ) told`;

/** What the model may be told of the conversation of an exchange, the question included. Its turns are stored already. */
export async function toldSize(manager: EntityManager, { chat, question, task }: ExchangePlan): Promise<ToldSize> {
  const asked = {
    tokens: question.tokens + MESSAGE_OVERHEAD_TOKENS,
    images: (question.parts ?? question.stored ?? []).filter(({ type }) => type === 'image').length,
  };
  if (question.position === 0) {
    return asked;
  }
  const most = task.options?.compaction === undefined ? mostMessages(task.agent) : MOST_SUMMED_UP;
  const [tokens, images] = (await runForRow(manager, BEFORE, [chat.id, question.position, most])) ?? [];
  return { tokens: asked.tokens + Number(tokens ?? 0), images: asked.images + Math.ceil(Number(images ?? 0)) };
}
