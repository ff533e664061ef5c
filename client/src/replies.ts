import { ROUTES } from './generated/methods';
import { type Opening, readReply } from './reply';
import type { Decide, ReplyEvent, ReplyOptions, SendMessage } from './reply-events';
import type { Service } from './request';
import type { Route } from './route';

/** Replies as they are written. Nothing is sent before the first event is asked for. */
export interface ChatReplies {
  /** Sends a message once, whatever the connection does, and reads the reply. */
  send(request: SendMessage, options?: ReplyOptions): AsyncIterable<ReplyEvent>;
  /** Gives a message another wording, and reads the reply. Without `parts` it keeps its images and files. */
  edit(
    request: Pick<SendMessage, 'chat_id' | 'content' | 'parts' | 'lang'> & { message_id: number },
    options?: ReplyOptions,
  ): AsyncIterable<ReplyEvent>;
  /** Reads another reply to the same message. */
  regenerate(
    request: { chat_id: number; message_id: number; lang?: string | undefined },
    options?: ReplyOptions,
  ): AsyncIterable<ReplyEvent>;
  /**
   * Decides about the call of a tool in one's own conversation, and reads on in the reply that waited for it: only what is
   * new. Who decides for somebody else takes `chat.actions.decide`.
   */
  decide(request: Decide, options?: Omit<ReplyOptions, 'idempotencyKey'>): AsyncIterable<ReplyEvent>;
  /**
   * Reads the reply that is being written in a conversation; without one it ends at once, without events. `offset`: the
   * characters of the last reply that are here already; with it, also a reply that is over is completed.
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
    // The same decision again has the same answer, so it needs no key.
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

/** A request that the service serves once, however often it comes. */
function keyed(
  route: Route,
  chatId: number,
  request: Opening['request'],
  { idempotencyKey = randomKey() }: ReplyOptions = {},
): Opening {
  return { route, chatId, request: { ...request, headers: { 'idempotency-key': idempotencyKey } } };
}

/** Pages without HTTPS have no `randomUUID`. */
function randomKey(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
