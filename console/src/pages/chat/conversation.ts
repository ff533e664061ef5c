import { batch, computed, signal } from '@preact/signals';
import { ConnectionError, isApiError, type ReplyEvent, type ReplyOptions } from 'chat-service-client';
import { api } from '../../api';
import { Breath } from './breath';
import { tellNews } from './chat-news';
import { editPlace, keepDraft } from './drafts';
import { LiveReply } from './live-reply';
import { currentLine, mergeMessages } from './message-line';
import { readQuota } from './quota';
import { type Again, type Refusal, refusalOf } from './refusal';
import type { Chat, Message } from './types';

/** Of a longer reply its beginning is announced. */
const MOST_ANNOUNCED = 500;

type Open = (options: ReplyOptions) => AsyncIterable<ReplyEvent>;

/** One conversation on the page: its messages, and the reply that is being written. */
export class Conversation {
  readonly chat = signal<Chat | null>(null);
  readonly messages = signal<Message[]>([]);
  readonly hasOlder = signal(false);
  readonly live = signal<LiveReply | null>(null);
  readonly refusal = signal<Refusal | null>(null);
  readonly isStopping = signal(false);
  /** What a screen reader says, once a reply is there. */
  readonly announcement = signal('');

  readonly line = computed(() => {
    const line = currentLine(this.messages.value);
    const replaced = this.live.value?.replaces ?? null;
    const end = replaced === null ? -1 : line.findIndex(({ message }) => message.id === replaced);
    const shown = end === -1 ? line : line.slice(0, end);
    return shown.filter(({ message }) => !this.live.value?.shows(message));
  });

  private readonly leaving = new AbortController();
  /** A message that was sent and that nobody answered: it may have arrived. */
  private unanswered: LiveReply | null = null;

  constructor(readonly id: number) {}

  /** Reads everything; a reply that is being written goes on here. */
  async load(): Promise<void> {
    await this.read();
    this.joinActive();
  }

  private async read(): Promise<void> {
    const { messages, has_more_messages, ...chat } = await api.chat.read({
      path: { chat_id: this.id },
      query: { branches: 'all' },
    });
    batch(() => {
      this.chat.value = chat;
      this.messages.value = messages;
      this.hasOlder.value = has_more_messages;
    });
  }

  private joinActive(): void {
    const active = this.chat.peek()?.active_message_id ?? null;
    if (active !== null && !this.live.peek()) this.join(active);
  }

  async loadOlder(): Promise<void> {
    const [first] = this.messages.peek();
    if (!first) return;
    const query = { branches: 'all', limit: 100, before: first.id } as const;
    const older = (await api.chat.listMessages({ path: { chat_id: this.id }, query })) as Message[];
    this.hasOlder.value = older.length === query.limit;
    this.messages.value = [...older, ...this.messages.peek()];
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
    this.put([await api.chat.rate({ path, body: { rating, ...(comment !== undefined && { comment }) } })]);
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
    const stored = this.messages.peek().find(({ id }) => id === messageId);
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
    const breath = new Breath();
    try {
      for await (const event of events) {
        this.take(live, event);
        if (breath.isDue) await breath.take();
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

  private take(live: LiveReply, event: ReplyEvent): void {
    live.take(event);
    if (event.type === 'message_start') {
      tellNews({ kind: 'reply', chatId: this.id });
      if (live.replaces !== null) keepDraft(editPlace(live.replaces), '');
    }
    if (event.type !== 'message_end') return;
    live.failure = event.error;
    live.drawNow();
    if (event.title) tellNews({ kind: 'title', chatId: this.id, title: event.title });
  }

  /** Takes what is stored in the place of what was read. */
  private async settle(live: LiveReply, refusal: Refusal | null, again: () => void): Promise<void> {
    const hasBegun = live.messageId.peek() !== null;
    const newest = Math.max(0, ...this.messages.peek().map(({ id }) => id));
    try {
      if (hasBegun && live.replaces === null && !refusal) await this.readEnd();
      else await this.read();
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
    const hasArrived = this.messages.peek().some(({ id, content }) => id > newest && content === refusal?.content);
    const isOver = (hasBegun || hasArrived) && refusal?.error instanceof ConnectionError;
    batch(() => {
      this.refusal.value = isOver ? null : (refusal ?? this.unseenFailure(live, again) ?? this.refusal.peek());
      this.live.value = null;
    });
    if (live.messageId.peek() !== null) {
      this.announcement.value = live.text.peek().slice(0, MOST_ANNOUNCED);
      tellNews({ kind: 'reply', chatId: this.id });
    }
    void readQuota();
    // Another tab, or a program, may have begun a reply meanwhile.
    this.joinActive();
  }

  /** Reads what was done elsewhere. Nothing is said when that fails: what is shown is still true. */
  async catchUp(): Promise<void> {
    if (this.chat.peek() && !this.live.peek()) await this.load().catch(() => undefined);
  }

  /** The conversation as it is now, without its messages. */
  show(chat: Chat): void {
    this.chat.value = chat;
  }

  retitle(title: string): void {
    const chat = this.chat.peek();
    if (chat) this.chat.value = { ...chat, title };
  }

  private async readEnd(): Promise<void> {
    const query = { branches: 'all', limit: 4 } as const;
    this.put((await api.chat.listMessages({ path: { chat_id: this.id }, query })) as Message[]);
    const chat = this.chat.peek();
    if (chat) this.chat.value = { ...chat, active_message_id: null };
  }

  /** Another reply that failed without a word is not on the line: the earlier one is back. */
  private unseenFailure({ failure, messageId }: LiveReply, again: () => void): Refusal | null {
    const isShown = this.messages.peek().some(({ id, is_current }) => id === messageId.peek() && is_current);
    return failure && !isShown ? { error: failure, again } : null;
  }

  private put(read: Message[]): void {
    this.messages.value = mergeMessages(this.messages.peek(), read);
  }
}
