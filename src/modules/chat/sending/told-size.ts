import type { EntityManager } from 'typeorm';
import { isSqlite } from '../../../database/connection/dialect';
import { runForRow } from '../../../database/statements/run-statement';
import { type EstimatedPart, TOKENS_PER_UNREADABLE } from '../../../integrations/llm/counting/prompt-estimate';
import type { TokenBounds } from '../../../integrations/llm/counting/token-bounds';
import { mostMessages, type PromptSize, sizeOf } from '../../generation/generation.api';
import type { PromptMessage } from '../history/conversation-history';
import { MESSAGE_OVERHEAD_TOKENS } from '../history/history-statements';
import { MOST_SUMMED_UP } from '../history/prompt-history';
import type { ExchangePlan, Question } from './exchange-plan';

const IMAGE = '"type":"image"';

const PDF = '"media_type":"application/pdf"';

/** SQL that counts the occurrences of a text in the parts of a message. */
const timesIn = (text: string): string => `(LENGTH(parts) - LENGTH(REPLACE(parts, '${text}', ''))) / ${text.length}`;

/**
 * Conversation, position, most messages. Tokens, images and page tokens of the newest messages on the current line
 * before a position. If the pages of a PDF were not counted when the message was stored, it counts as an unreadable
 * file.
 */
const BEFORE = `
  SELECT SUM(token_count + ${MESSAGE_OVERHEAD_TOKENS}), SUM(${timesIn(IMAGE)}),
    SUM(COALESCE(page_tokens, ${timesIn(PDF)} * ${TOKENS_PER_UNREADABLE}))
  FROM (
    SELECT token_count, page_tokens, parts FROM chat_messages
    WHERE chat_id = ? AND position < ? AND is_current = 1
    ORDER BY position DESC LIMIT ?
  ) told`;

/** A token has at least one byte. */
const BYTES_ON_SQLITE = 'LENGTH(CAST(content AS BLOB)) + COALESCE(LENGTH(CAST(parts AS BLOB)), 0)';

const BYTES_ON_SERVERS = 'LENGTH(content) + COALESCE(LENGTH(parts), 0)';

/**
 * Conversation, position, most messages, most tokens. Exact tokens of the newest messages that fit by their estimates.
 */
const countedBefore = (bytes: string): string => `
  SELECT SUM(COALESCE(counted_tokens, ${bytes}) + ${MESSAGE_OVERHEAD_TOKENS}) FROM (
    SELECT counted_tokens, content, parts,
      SUM(token_count + ${MESSAGE_OVERHEAD_TOKENS}) OVER (ORDER BY position DESC, id DESC) AS tokens
    FROM (
      SELECT id, position, token_count, counted_tokens, content, parts FROM chat_messages
      WHERE chat_id = ? AND position < ? AND is_current = 1
      ORDER BY position DESC, id DESC LIMIT ?
    ) newest
  ) sized WHERE tokens <= ?`;

const COUNTED_ON_SQLITE = countedBefore(BYTES_ON_SQLITE);

const COUNTED_ON_SERVERS = countedBefore(BYTES_ON_SERVERS);

/**
 * Estimates may be too high by this factor, so a conversation that is sent whole or summarized may exceed the limit by
 * its estimate.
 */
const MOST_OVERESTIMATE = 4;

/**
 * The maximum size of the prompt of an exchange, including the question. Its turns are already stored.
 *
 * @param known the cached history before the question; null: it must be read
 * @param counted how to count exact tokens; null: not counted
 */
export async function toldSize(
  manager: EntityManager,
  chatId: number,
  { question, task }: ExchangePlan,
  known: readonly PromptMessage[] | null,
  counted: { bounds: TokenBounds; room: number } | null,
): Promise<PromptSize> {
  const parts = question.stored ?? question.parts;
  const asked = add(NOTHING, { tokens: question.tokens, parts });
  const { compaction, isWhole } = task.options ?? {};
  const most = compaction === undefined ? mostMessages(task.agent) : MOST_SUMMED_UP;
  const before = await sizeBefore(manager, { chatId, question, most }, compaction === undefined ? known : null, asked);
  if (counted === null) {
    return { ...before, counted: null };
  }
  const own = counted.bounds.ofMessages([{ content: question.content, parts }]);
  const room = compaction === undefined && !isWhole ? counted.room : MOST_OVERESTIMATE * counted.room;
  const sum = isSqlite(manager) ? COUNTED_ON_SQLITE : COUNTED_ON_SERVERS;
  const [told] = (await runForRow(manager, sum, [chatId, question.position, most, room])) ?? [];
  return { ...before, counted: own + Number(told ?? 0) };
}

async function sizeBefore(
  manager: EntityManager,
  { chatId, question, most }: { chatId: number; question: Question; most: number },
  known: readonly PromptMessage[] | null,
  asked: EstimatedSize,
): Promise<EstimatedSize> {
  if (question.position === 0) {
    return asked;
  }
  if (known !== null) {
    return known.reduce(add, asked);
  }
  const cells = (await runForRow(manager, BEFORE, [chatId, question.position, most])) ?? [];
  const [tokens = 0, images = 0, pages = 0] = cells.map((cell) => Math.ceil(Number(cell ?? 0)));
  return {
    tokens: asked.tokens + tokens,
    images: asked.images + images,
    pageTokens: asked.pageTokens + pages,
  };
}

type EstimatedSize = Omit<PromptSize, 'counted'>;

const NOTHING: EstimatedSize = { tokens: 0, images: 0, pageTokens: 0 };

interface SizedMessage {
  tokens: number;
  parts: readonly EstimatedPart[] | null;
}

function add(size: EstimatedSize, message: SizedMessage): EstimatedSize {
  const { tokens, images, pageTokens } = sizeOf([message], message.tokens + MESSAGE_OVERHEAD_TOKENS);
  return {
    tokens: size.tokens + tokens,
    images: size.images + images,
    pageTokens: size.pageTokens + pageTokens,
  };
}
