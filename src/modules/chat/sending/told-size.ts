import type { EntityManager } from 'typeorm';
import { runForRow } from '../../../database/statements/run-statement';
import { mostMessages, type ToldSize } from '../../generation/generation.api';
import { MESSAGE_OVERHEAD_TOKENS } from '../history/history-statements';
import { MOST_SUMMED_UP } from '../history/told-conversation';
import type { ToldMessage } from '../history/told-messages';
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

/**
 * What the model may be told of the conversation of an exchange, the question included. Its turns are stored already.
 *
 * @param known what is told before the question; null: it must be read
 */
export async function toldSize(
  manager: EntityManager,
  { chat, question, task }: ExchangePlan,
  known: readonly ToldMessage[] | null,
): Promise<ToldSize> {
  const asked = add(NOTHING, { tokens: question.tokens, parts: question.parts ?? question.stored });
  if (question.position === 0) {
    return asked;
  }
  if (known !== null && task.options?.compaction === undefined) {
    return known.reduce(add, asked);
  }
  const most = task.options?.compaction === undefined ? mostMessages(task.agent) : MOST_SUMMED_UP;
  const [tokens, images] = (await runForRow(manager, BEFORE, [chat.id, question.position, most])) ?? [];
  return { tokens: asked.tokens + Number(tokens ?? 0), images: asked.images + Math.ceil(Number(images ?? 0)) };
}

const NOTHING: ToldSize = { tokens: 0, images: 0 };

interface SizedMessage {
  tokens: number;
  parts: readonly { type: string }[] | null;
}

function add(size: ToldSize, { tokens, parts }: SizedMessage): ToldSize {
  return {
    tokens: size.tokens + tokens + MESSAGE_OVERHEAD_TOKENS,
    images: size.images + (parts ?? []).filter(({ type }) => type === 'image').length,
  };
}
