import type { ReplyFactsDto } from 'chat-service-client';
import type { Chat, Message } from '../types';
import type { LiveReply, ReplyEnd } from './live-reply';

/** Fields with the same value in a new message and in its reply. */
const PLAIN = { parts: null, is_current: true, feedback: null } as const;

/** The chat after a completed reply. */
export function chatAfter(chat: Chat, { title }: ReplyEnd, { completed_at, message_count }: ReplyFactsDto): Chat {
  return {
    ...chat,
    title: title ?? chat.title,
    message_count,
    last_message_at: completed_at,
    updated_at: completed_at,
    active_message_id: null,
  };
}

/**
 * A message and its reply as the service stores them, built from the sent message and the received events. This saves a
 * request. Null if the stored state may differ.
 *
 * @param parentId the preceding message; null if there is none
 */
export function storedExchange(live: LiveReply, parentId: number | null): [Message, Message] | null {
  const { end, content, chatId: chat_id } = live;
  // The stored names of files and the decisions about calls are only known to the service.
  if (live.files.length > 0 || live.calls.peek().length > 0) return null;
  if (!end?.facts || content === null || (end.status !== 'completed' && end.status !== 'stopped')) return null;
  const { created_at, completed_at, first_token_ms, duration_ms } = end.facts;
  const { prompt_tokens, completion_tokens, total_tokens, cached_tokens, reasoning_tokens, is_estimated, model } = end;
  const { cost, currency } = end;
  const question: Message = {
    ...PLAIN,
    id: end.user_message_id,
    chat_id,
    role: 'user',
    content,
    status: 'completed',
    finish_reason: null,
    parent_id: parentId,
    model: null,
    error: null,
    created_at,
    updated_at: created_at,
    completed_at: created_at,
    first_token_ms: null,
    duration_ms: null,
  };
  const reply: Message = {
    ...PLAIN,
    id: end.message_id,
    chat_id,
    role: 'assistant',
    content: live.text.peek(),
    citations: [...live.citations.peek()],
    reasoning: live.reasoning.peek() || null,
    status: end.status,
    finish_reason: end.finish_reason,
    parent_id: question.id,
    model,
    token_usage: {
      prompt_tokens,
      completion_tokens,
      total_tokens,
      cached_tokens,
      reasoning_tokens,
      is_estimated,
      model,
      cost,
      currency,
    },
    error: end.error,
    created_at,
    updated_at: completed_at,
    completed_at,
    first_token_ms,
    duration_ms,
  };
  return [question, reply];
}
