import { computed } from '@preact/signals';
import { type Decide, isApiError } from 'chat-service-client';
import { api } from '../../../../app/api';
import type { ChatEvents } from '../chat-events';
import type { Action, Chat, Message } from '../types';
import { branchBeside } from './branch';
import type { NewMessage } from './live-reply';
import { type ReplyContext, ReplyStream } from './reply-stream';
import { StoredChat } from './stored-chat';

/** What all open chats share. */
export interface OpenChatContext extends ReplyContext {
  events: Pick<ChatEvents, 'publish'>;
}

/** An open chat: its stored state, and the reply in progress. */
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

  /** Loads the chat. If a reply is in progress, it continues here. */
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
   * Sends a decision about a tool call, and follows the resumed reply.
   *
   * @throws ApiError, ConnectionError if the service refuses the decision; the stored state is then shown
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

  /** Loads a message that a search has found, and shows its version. */
  async reach(messageId: number): Promise<void> {
    const isOnBranch = (): boolean => this.branch.peek().some(({ message }) => message.id === messageId);
    const isLoaded = (): boolean => this.stored.messages.peek().some(({ id }) => id === messageId);
    const readOn = async (isReached: () => boolean): Promise<void> => {
      while (!isReached() && this.stored.hasOlder.peek()) await this.stored.readOlder();
    };
    await readOn(isLoaded);
    const found = this.stored.messages.peek().find(({ id }) => id === messageId);
    if (!found || isOnBranch()) return;
    await this.showVersion(found);
    await readOn(isOnBranch);
  }

  async rate(message: Message, rating: 'like' | 'dislike' | null, comment?: string): Promise<void> {
    const path = { chat_id: this.id, message_id: message.id };
    this.stored.put([await api.chat.rate({ path, body: { rating, ...(comment !== undefined && { comment }) } })]);
  }

  /** Stops following the reply. The service still completes and stores it. */
  leave(): void {
    this.reply.leave();
  }

  /** Loads changes from other devices. A failure is ignored, because the screen is still correct. */
  async catchUp(): Promise<void> {
    if (!this.stored.chat.peek() || this.reply.live.peek() || this.reply.isLeft) return;
    await this.load().catch(() => undefined);
    const chat = this.stored.chat.peek();
    if (chat) this.publish(chat);
  }

  /** Updates the chat, without its messages. */
  show(chat: Chat): void {
    this.stored.chat.value = chat;
  }

  /** The same for a published change, which may come from another tab. */
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

/** Whether the action is already decided, or this user may not decide it. */
function isDecided(error: unknown): boolean {
  return isApiError(error) && [403, 404, 409, 410].includes(error.status);
}
