import type { MessageRole } from '../../generation/generation.api';

/** Tokens that the chat format adds to each message. */
export const MESSAGE_OVERHEAD_TOKENS = 4;

/**
 * How a message was answered: 2 means with text on this line, 1 means only by failures, one of them not retryable. It
 * is an aggregate, because MariaDB would read the whole table for an EXISTS.
 */
const ANSWERED = `
  SELECT MAX(CASE
    WHEN reply.is_current = told.is_current AND reply.token_count > 0 THEN 2
    WHEN reply.status = 'failed' AND reply.failure LIKE '%"retryable":false%' THEN 1
    ELSE 0
  END)
  FROM chat_messages reply
  WHERE reply.chat_id = told.chat_id AND reply.position = told.position AND reply.parent_id = told.id`;

/**
 * Conversation, position. The prompt messages before a position. It leaves out a message that got only failures, one of
 * them not retryable: a provider that refuses this message would refuse every later prompt that contains it.
 */
const promptMessagesBefore = (position: string): string => `
  FROM chat_messages told
  WHERE chat_id = ? AND position < ${position} AND is_current = 1
    AND token_count > 0 AND status <> 'streaming'
    AND (role <> 'user' OR COALESCE((${ANSWERED}), 0) <> 1)`;

/**
 * Conversation, position, most messages. The newest prompt messages as `message`. `sized.tokens` are their tokens,
 * summed from the newest message backwards.
 */
export const newestBefore = (position: string): string => `
  FROM (
    SELECT id, SUM(token_count + ${MESSAGE_OVERHEAD_TOKENS}) OVER (ORDER BY position DESC, id DESC) AS tokens
    FROM (
      SELECT id, position, token_count ${promptMessagesBefore(position)}
      ORDER BY position DESC, id DESC LIMIT ?
    ) newest
  ) sized
  INNER JOIN chat_messages message ON message.id = sized.id`;

const POSITION_OF_MESSAGE = '(SELECT position FROM chat_messages WHERE id = ?)';

const PROMPT_MESSAGES = promptMessagesBefore(POSITION_OF_MESSAGE);

/** Conversation, message, most messages, most tokens. Leaves out all messages beyond the limit. */
export const HISTORY = `
  SELECT message.role, message.content, message.token_count, message.parts, message.position
  ${newestBefore(POSITION_OF_MESSAGE)}
  WHERE sized.tokens <= ?
  ORDER BY message.position, message.id`;

/** Conversation, message. The number of prompt messages and their tokens. */
export const HISTORY_SIZE = `
  SELECT COUNT(*), COALESCE(SUM(token_count + ${MESSAGE_OVERHEAD_TOKENS}), 0) ${PROMPT_MESSAGES}`;

/** Conversation, message. The newest earlier message that has a summary. */
export const SUMMARY = `
  SELECT told.parts ${PROMPT_MESSAGES} AND parts LIKE '%"type":"compaction"%'
  ORDER BY position DESC, id DESC LIMIT 1`;

/** Conversation. Only clients that set options send summaries, so no other conversation has to be searched for one. */
export const HAS_OPTIONS = 'SELECT 1 FROM chat_reply_wishes WHERE chat_id = ? LIMIT 1';

/**
 * Conversation, message, most messages. The assistant's texts in the history that a client has added: no model has
 * finished them.
 */
export const ADDED_REPLIES = `
  SELECT message.content
  ${newestBefore(POSITION_OF_MESSAGE)}
  WHERE message.role = 'assistant' AND message.status = 'completed' AND message.finish_reason IS NULL`;

/** The columns of `HISTORY`. */
export type HistoryRow = [role: MessageRole, content: string, tokens: number, parts: string | null, position: number];
