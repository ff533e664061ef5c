import { ROUTES } from './generated/methods';
import { type Opening, readReply } from './reply';
import type { Decide, ReplyEvent, ReplyOptions, SendMessage } from './reply-events';
import type { Service } from './request';
import type { Route } from './route';

/** Streamed replies. The request is sent when the first event is read. */
export interface ChatReplies {
  /** Sends a message exactly once, even if the connection is lost, and streams the reply. */
  send(request: SendMessage, options?: ReplyOptions): AsyncIterable<ReplyEvent>;
  /** Edits a message and streams the new reply. Without `parts`, the message keeps its images and files. */
  edit(
    request: Pick<SendMessage, 'chat_id' | 'content' | 'parts' | 'lang'> & { message_id: number },
    options?: ReplyOptions,
  ): AsyncIterable<ReplyEvent>;
  /** Streams another reply to the same message. */
  regenerate(
    request: { chat_id: number; message_id: number; lang?: string | undefined },
    options?: ReplyOptions,
  ): AsyncIterable<ReplyEvent>;
  /**
   * Sends a decision about a tool call in the user's own conversation, and streams the rest of the reply that waited
   * for it. To decide in another user's conversation, use `chat.actions.decide`.
   */
  decide(request: Decide, options?: Omit<ReplyOptions, 'idempotencyKey'>): AsyncIterable<ReplyEvent>;
  /**
   * Streams the reply that is in progress in a conversation. If there is none, the iteration ends at once without
   * events. `offset` is the number of characters of the last reply that the caller already has; with it, the rest of a
   * completed reply is returned too.
   */
  join(chatId: number, options?: ReplyOptions & { offset?: number | undefined }): AsyncIterable<ReplyEvent>;
}

export function chatReplies(service: Service): ChatReplies {
  const { send, edit, regenerate, join, actions } = ROUTES.chat;
  return {
    send: (body, options) => readReply(service, keyed(send, body.chat_id, { body }, options), options),
    edit: ({ chat_id, message_id, ...body }, options) =>
      readReply(service, keyed(edit, chat_id, { path: { chat_id, message_id }, body }, options), options),
    regenerate: ({ chat_id, message_id, ...body }, options) =>
      readReply(service, keyed(regenerate, chat_id, { path: { chat_id, message_id }, body }, options), options),
    // Repeating the same decision has the same result, so it needs no key.
    decide: ({ chat_id, action_id, ...body }, options) =>
      readReply(
        service,
        { route: actions.decide, chatId: chat_id, request: { path: { chat_id, action_id }, body } },
        options,
      ),
    join: (chat_id, { offset, ...options } = {}) =>
      readReply(
        service,
        {
          route: join,
          request: { path: { chat_id }, query: { offset } },
          chatId: chat_id,
          ...(offset !== undefined && { offset }),
        },
        options,
      ),
  };
}

/** A request with an idempotency key, which the service processes only once. */
function keyed(
  route: Route,
  chatId: number,
  request: Opening['request'],
  { idempotencyKey = randomKey() }: ReplyOptions = {},
): Opening {
  return { route, chatId, request: { ...request, headers: { 'idempotency-key': idempotencyKey } } };
}

/** An idempotency key. Pages without HTTPS have no `randomUUID`. */
export function randomKey(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
