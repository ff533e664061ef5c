import type { EntityManager } from 'typeorm';
import { isSqlite } from '../../../database/connection/dialect';
import { runForRow } from '../../../database/statements/run-statement';
import { type EstimatedPart, TOKENS_PER_UNREADABLE } from '../../../integrations/llm/counting/prompt-estimate';
import type { TokenBounds } from '../../../integrations/llm/counting/token-bounds';
import { mostMessages, type PromptSize, sizeOf } from '../../generation/generation.api';
import type { PromptMessage } from '../history/conversation-history';
import { MESSAGE_OVERHEAD_TOKENS, newestBefore } from '../history/history-statements';
import { MOST_SUMMED_UP } from '../history/prompt-history';
import type { ExchangePlan } from './exchange-plan';

const IMAGE = '"type":"image"';

const PDF = '"media_type":"application/pdf"';

/** SQL that counts the occurrences of a text in the parts of a message. */
const timesIn = (text: string): string => `(LENGTH(parts) - LENGTH(REPLACE(parts, '${text}', ''))) / ${text.length}`;

const fitting = (value: string): string => `SUM(CASE WHEN sized.tokens <= ? THEN ${value} ELSE 0 END)`;

/**
 * Twice the most tokens, then conversation, position, most messages. Tokens of the newest messages, and images and page
 * tokens of those that fit. If the pages of a PDF were not counted when the message was stored, it counts as an
 * unreadable file.
 */
const ESTIMATED = `
  SELECT SUM(token_count + ${MESSAGE_OVERHEAD_TOKENS}), ${fitting(timesIn(IMAGE))},
    ${fitting(`COALESCE(page_tokens, ${timesIn(PDF)} * ${TOKENS_PER_UNREADABLE}, 0)`)}
  ${newestBefore('?')}`;

/** A token has at least one byte. */
const BYTES_ON_SQLITE = 'LENGTH(CAST(content AS BLOB)) + COALESCE(LENGTH(CAST(parts AS BLOB)), 0)';

const BYTES_ON_SERVERS = 'LENGTH(content) + COALESCE(LENGTH(parts), 0)';

/** Conversation, position, most messages, most tokens. Exact tokens of the newest messages that fit. */
const countedBefore = (bytes: string): string => `
  SELECT SUM(COALESCE(counted_tokens, ${bytes}) + ${MESSAGE_OVERHEAD_TOKENS})
  ${newestBefore('?')}
  WHERE sized.tokens <= ?`;

const COUNTED_ON_SQLITE = countedBefore(BYTES_ON_SQLITE);

const COUNTED_ON_SERVERS = countedBefore(BYTES_ON_SERVERS);

/**
 * Estimates may be too high by this factor, so a conversation that is sent whole or summarized may exceed the limit by
 * its estimate.
 */
const MOST_OVERESTIMATE = 4;

interface SizingOptions {
  /** The cached history before the question; null: it must be read. */
  known: readonly PromptMessage[] | null;
  /** Maximum tokens of the prompt. */
  room: number;
  /** How to count exact tokens; null: not counted. */
  bounds: TokenBounds | null;
}

/** The maximum size of the prompt of an exchange, including the question. Its turns are already stored. */
export async function promptSize(
  manager: EntityManager,
  chatId: number,
  { question, task }: ExchangePlan,
  { known, room, bounds }: SizingOptions,
): Promise<PromptSize> {
  const parts = question.stored ?? question.parts;
  const asked = add(NOTHING, { tokens: question.tokens, parts });
  const isTrimmed = task.options?.compaction === undefined && !task.options?.isWhole;
  const most = isTrimmed ? mostMessages(task.agent) - 1 : MOST_SUMMED_UP;
  const tokens = isTrimmed ? room : MOST_OVERESTIMATE * room;
  const place = [chatId, question.position, most];
  const history = question.position === 0 ? [] : isTrimmed ? known : null;
  const before = history === null ? await sizeBefore(manager, place, tokens, asked) : history.reduce(add, asked);
  if (bounds === null) {
    return { ...before, countedTokens: null };
  }
  const own = bounds.ofMessages([{ content: question.content, parts }]);
  const sum = isSqlite(manager) ? COUNTED_ON_SQLITE : COUNTED_ON_SERVERS;
  const [counted] = (await runForRow(manager, sum, [...place, tokens])) ?? [];
  return { ...before, countedTokens: own + Number(counted ?? 0) };
}

async function sizeBefore(
  manager: EntityManager,
  place: number[],
  most: number,
  asked: EstimatedSize,
): Promise<EstimatedSize> {
  const cells = (await runForRow(manager, ESTIMATED, [most, most, ...place])) ?? [];
  const [tokens = 0, images = 0, pages = 0] = cells.map((cell) => Math.ceil(Number(cell ?? 0)));
  return {
    tokens: asked.tokens + tokens,
    images: asked.images + images,
    pageTokens: asked.pageTokens + pages,
  };
}

type EstimatedSize = Omit<PromptSize, 'countedTokens'>;

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
