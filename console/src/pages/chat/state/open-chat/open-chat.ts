import { computed } from '@preact/signals';
import { type Decide, isApiError } from 'chat-service-client';
import { api } from '../../../../app/api';
import type { ChatEvents } from '../chat-events';
import type { Action, Chat, Message } from '../types';
import { branchBeside } from './branch';
import type { NewMessage } from './live-reply';
import { type ReplyContext, ReplyStream } from './reply-stream';
import { StoredChat } from './stored-chat';

/** What open chats share. */
export interface OpenChatContext extends ReplyContext {
  events: Pick<ChatEvents, 'publish'>;
}

/** One chat on the page: what is stored of it, and the reply that is being written. */
export class OpenChat {
  readonly stored: StoredChat;
  readonly reply: ReplyStream;
  readonly branch = computed(() => branchBeside(this.stored.current.value, this.reply.live.value));

  constructor(
    readonly id: number,
    private readonly context: OpenChatContext,
  ) {
    this.stored = new StoredChat(id);
    this.reply = new ReplyStream(this.stored, context, {
      change: (chat) => this.publish(chat),
      catchUp: () => void this.catchUp(),
      reload: () => void this.load(),
    });
  }

  /** Reads everything; a reply that is being written goes on here. */
  async load(): Promise<void> {
    await this.stored.read();
    this.reply.joinActive();
  }

  send(message: NewMessage): void {
    const { content, files } = message;
    const parts = files.map(({ part }) => part);
    const request = { chat_id: this.id, content, ...(parts.length > 0 && { parts }) };
    this.reply.send(message, (options) => api.send(request, options));
  }

  edit(message: Message, content: string): void {
    const request = { chat_id: this.id, message_id: message.id, content };
    this.reply.replace(message, content, (options) => api.edit(request, options));
  }

  regenerate(reply: Message): void {
    const request = { chat_id: this.id, message_id: reply.id };
    this.reply.replace(reply, null, (options) => api.regenerate(request, options));
  }

  /**
   * Decides about the call of a tool, and reads on in its reply.
   *
   * @throws ApiError, ConnectionError when the decision is not taken; what is shown is then what is stored
   */
  async decide(action: Action, wish: Pick<Decide, 'decision'> & Partial<Decide>): Promise<void> {
    const request = { ...wish, chat_id: this.id, action_id: action.id };
    try {
      await this.reply.goOn(action.message_id, (options) => api.decide(request, options));
    } catch (error) {
      if (isDecided(error)) void this.catchUp();
      throw error;
    }
    this.stored.forget(action);
  }

  async showVersion(message: Message): Promise<void> {
    await api.chat.switchLine({ path: { chat_id: this.id }, body: { message_id: message.id } });
    await this.load();
  }

  async rate(message: Message, rating: 'like' | 'dislike' | null, comment?: string): Promise<void> {
    const path = { chat_id: this.id, message_id: message.id };
    this.stored.put([await api.chat.rate({ path, body: { rating, ...(comment !== undefined && { comment }) } })]);
  }

  /** Reading ends; the reply is written and stored all the same. */
  leave(): void {
    this.reply.leave();
  }

  /** Reads what was done elsewhere. Nothing is said when that fails: what is shown is still true. */
  async catchUp(): Promise<void> {
    if (!this.stored.chat.peek() || this.reply.live.peek() || this.reply.isLeft) return;
    await this.load().catch(() => undefined);
    const chat = this.stored.chat.peek();
    if (chat) this.publish(chat);
  }

  /** The chat as it is now, without its messages. */
  show(chat: Chat): void {
    this.stored.chat.value = chat;
  }

  /** The same, as it was published; another tab may have done so. */
  take(chat: Chat): void {
    const known = this.stored.chat.peek();
    if (!known || known === chat) return;
    this.show(chat);
    const hasOther = known.last_message_at !== chat.last_message_at || known.message_count !== chat.message_count;
    if (hasOther || known.active_message_id !== chat.active_message_id) void this.catchUp();
  }

  private publish(chat: Chat): void {
    this.show(chat);
    this.context.events.publish({ kind: 'changed', chat });
  }
}

/** Whether there is nothing to decide any more, or not by this person. */
function isDecided(error: unknown): boolean {
  return isApiError(error) && [403, 404, 409, 410].includes(error.status);
}
