import { batch, computed, signal } from '@preact/signals';
import { ConnectionError, isApiError, type ReplyEvent, type ReplyOptions } from 'chat-service-client';
import { api } from '../../../../app/api';
import { type Drafts, editPlace } from '../../../../app/drafts';
import type { ChatEvents } from '../chat-events';
import type { QuotaState } from '../quota';
import type { Chat, Message } from '../types';
import { announcementOf } from './announcement';
import { LiveReply } from './live-reply';
import { type Again, type Refusal, refusalOf } from './refusal';
import { StoredChat } from './stored-chat';
import { MOST_WORK_MILLISECONDS, yieldToBrowser } from './yield-to-browser';

type Open = (options: ReplyOptions) => AsyncIterable<ReplyEvent>;

/** Where a title is not given from the person's words, a model makes it within some seconds after the first reply. */
const TITLE_MILLISECONDS = 4_000;

/** What conversations share. */
export interface OpenChatContext {
  events: ChatEvents;
  drafts: Drafts;
  quota: QuotaState;
}

/** One conversation on the page: its messages, and the reply that is being written. */
export class OpenChat {
  readonly stored: StoredChat;
  readonly live = signal<LiveReply | null>(null);
  readonly refusal = signal<Refusal | null>(null);
  readonly isStopping = signal(false);
  /** What a screen reader says, once a reply is there. */
  readonly announcement = signal('');

  readonly branch = computed(() => {
    const branch = this.stored.current.value;
    const replaced = this.live.value?.replaces ?? null;
    const end = replaced === null ? -1 : branch.findIndex(({ message }) => message.id === replaced);
    const shown = end === -1 ? branch : branch.slice(0, end);
    return shown.filter(({ message }) => !this.live.value?.shows(message));
  });

  private readonly leaving = new AbortController();
  /** A message that was sent and that nobody answered: it may have arrived. */
  private unanswered: LiveReply | null = null;

  constructor(
    readonly id: number,
    private readonly home: OpenChatContext,
  ) {
    this.stored = new StoredChat(id);
  }

  /** Reads everything; a reply that is being written goes on here. */
  async load(): Promise<void> {
    await this.stored.read();
    this.joinActive();
  }

  private joinActive(): void {
    const active = this.stored.chat.peek()?.active_message_id ?? null;
    if (active !== null && !this.live.peek()) this.join(active);
  }

  send(content: string): void {
    const former = this.unanswered?.content === content ? this.unanswered : undefined;
    const request = { chat_id: this.id, content };
    this.begin(
      () => new LiveReply(this.id, content, null),
      (options) => api.send(request, options),
      former,
    );
  }

  edit(message: Message, content: string): void {
    const request = { chat_id: this.id, message_id: message.id, content };
    this.begin(
      () => new LiveReply(this.id, content, message.id),
      (options) => api.edit(request, options),
    );
  }

  regenerate(reply: Message): void {
    const request = { chat_id: this.id, message_id: reply.id };
    this.begin(
      () => new LiveReply(this.id, null, reply.id),
      (options) => api.regenerate(request, options),
    );
  }

  /** Ends the reply; its text so far stays. */
  async stop(): Promise<void> {
    if (!this.live.peek() || this.isStopping.peek()) return;
    this.isStopping.value = true;
    try {
      await api.chat.stop({ path: { chat_id: this.id } });
    } finally {
      this.isStopping.value = false;
    }
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
    this.leaving.abort();
  }

  /** @param former the same request, which nobody answered: the service serves both once */
  private begin(make: () => LiveReply, open: Open, former?: LiveReply): void {
    const live = make();
    if (former) live.key = former.key;
    this.refusal.value = null;
    const events = open({ ...this.options(live), idempotencyKey: live.key });
    void this.follow(live, events, (repeated) => this.begin(make, open, repeated));
  }

  private join(messageId: number): void {
    const stored = this.stored.messages.peek().find(({ id }) => id === messageId);
    const live = new LiveReply(this.id, null, null, stored);
    void this.follow(live, api.join(this.id, this.options(live)), () => void this.load());
  }

  private options(live: LiveReply): ReplyOptions {
    return {
      signal: this.leaving.signal,
      onConnection: (state) => void (live.isConnected.value = state === 'open'),
    };
  }

  private async follow(live: LiveReply, events: AsyncIterable<ReplyEvent>, again: Again): Promise<void> {
    this.live.value = live;
    let refusal: Refusal | null = null;
    let yieldedAt = performance.now();
    try {
      for await (const event of events) {
        live.take(event);
        if (event.type === 'message_start') this.noteBeginning(live, event.message_id);
        if (performance.now() - yieldedAt > MOST_WORK_MILLISECONDS) {
          await yieldToBrowser();
          yieldedAt = performance.now();
        }
      }
    } catch (error) {
      if (this.leaving.signal.aborted) return;
      // A failure that names a reply is stored with it, and shown in its place.
      const isStored = isApiError(error) && error.status !== 409 && typeof error.details['message_id'] === 'number';
      if (isStored) {
        live.messageId.value = error.details['message_id'] as number;
        live.failure = error;
      } else {
        refusal = refusalOf(live, error, again);
        if (refusal.content !== undefined) this.unanswered = error instanceof ConnectionError ? live : null;
      }
    }
    await this.settle(live, refusal, again);
  }

  private noteBeginning(live: LiveReply, messageId: number): void {
    if (live.replaces !== null) this.home.drafts.keep(editPlace(live.replaces), '');
    const chat = this.stored.chat.peek();
    if (!chat || chat.active_message_id === messageId) return;
    const now = new Date().toISOString();
    const updated_at = now > chat.updated_at ? now : chat.updated_at;
    this.publish({ ...chat, active_message_id: messageId, last_message_at: updated_at, updated_at });
  }

  /** Takes what is stored in the place of what was read. */
  private async settle(live: LiveReply, refusal: Refusal | null, again: () => void): Promise<void> {
    const hasBegun = live.messageId.peek() !== null;
    const newest = Math.max(0, ...this.stored.messages.peek().map(({ id }) => id));
    try {
      if (refusal || !(await this.stored.append(live))) await this.stored.read();
    } catch (error) {
      const retry = (): void => {
        this.refusal.value = null;
        void this.settle(live, refusal, again);
      };
      batch(() => {
        // What was read stays until it can be read again.
        this.refusal.value = hasBegun ? { error: refusal?.error ?? error, again: retry } : (refusal ?? { error });
        if (!hasBegun) this.live.value = null;
      });
      return;
    }
    if (this.leaving.signal.aborted) return;
    const hasArrived = this.stored.messages
      .peek()
      .some(({ id, content }) => id > newest && content === refusal?.content);
    const isOver = (hasBegun || hasArrived) && refusal?.error instanceof ConnectionError;
    batch(() => {
      this.refusal.value = isOver ? null : (refusal ?? this.unseenFailure(live, again) ?? this.refusal.peek());
      this.live.value = null;
    });
    if (hasBegun) this.announceEnd(live);
    if (hasBegun || isApiError(refusal?.error, 'QUOTA_EXCEEDED')) this.home.quota.take(live.end?.facts?.quota);
    // Another tab, or a program, may have begun a reply meanwhile.
    this.joinActive();
  }

  private announceEnd(live: LiveReply): void {
    this.announcement.value = announcementOf(live);
    const chat = this.stored.chat.peek();
    if (chat) this.publish(chat);
    const isTitleDue = live.end?.status === 'completed' && live.end.title === undefined && this.stored.length === 2;
    if (isTitleDue) setTimeout(() => void this.catchUp(), TITLE_MILLISECONDS);
  }

  /** Reads what was done elsewhere. Nothing is said when that fails: what is shown is still true. */
  async catchUp(): Promise<void> {
    if (!this.stored.chat.peek() || this.live.peek() || this.leaving.signal.aborted) return;
    await this.load().catch(() => undefined);
    const chat = this.stored.chat.peek();
    if (chat) this.publish(chat);
  }

  /** The conversation as it is now, without its messages. */
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
    this.home.events.publish({ kind: 'changed', chat });
  }

  /** Another reply that failed without a word is not on the branch: the earlier one is back. */
  private unseenFailure({ failure, messageId }: LiveReply, again: () => void): Refusal | null {
    const isShown = this.stored.messages.peek().some(({ id, is_current }) => id === messageId.peek() && is_current);
    return failure && !isShown ? { error: failure, again } : null;
  }
}
