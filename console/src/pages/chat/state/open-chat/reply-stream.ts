import { batch, signal } from '@preact/signals';
import { ConnectionError, isApiError, type ReplyEvent, type ReplyOptions } from 'chat-service-client';
import { api } from '../../../../app/api';
import { type Drafts, editPlace } from '../../../../app/drafts';
import type { BudgetState } from '../budget';
import type { QuotaState } from '../quota';
import type { Chat, Message } from '../types';
import { announcementOf, notifyOfEnd } from './announcement';
import { LiveReply, type NewMessage } from './live-reply';
import { type Again, isStoredFailure, type Refusal, refusalOf } from './refusal';
import type { StoredChat } from './stored-chat';
import { yieldToBrowser } from './yield-to-browser';

/** Requests a reply from the service and streams it. */
type Open = (options: ReplyOptions) => AsyncIterable<ReplyEvent>;

/** How long to process events before the browser gets a chance to render and react. */
const MOST_WORK_MILLISECONDS = 8;

/** If a model generates the title, it is ready some seconds after the first reply. */
const TITLE_MILLISECONDS = 4_000;

export interface ReplyContext {
  drafts: Pick<Drafts, 'keep'>;
  quota: Pick<QuotaState, 'take'>;
  budget: Pick<BudgetState, 'read' | 'spend'>;
}

/** The effects of a reply on its chat. */
interface ReplyEffects {
  change: (chat: Chat) => void;
  /** Loads changes from other devices. */
  catchUp: () => void;
  /** Reloads everything and shows a failure. */
  reload: () => void;
}

/** The reply in progress of a chat: it is requested, streamed, and finally replaced by its stored state. */
export class ReplyStream {
  readonly live = signal<LiveReply | null>(null);
  readonly refusal = signal<Refusal | null>(null);
  readonly isStopping = signal(false);
  /** The screen reader announcement for a completed reply. */
  readonly announcement = signal('');
  private readonly leaving = new AbortController();
  /** A sent message without a response. The service may have received it. */
  private unanswered: LiveReply | null = null;

  constructor(
    private readonly stored: StoredChat,
    private readonly context: ReplyContext,
    private readonly effects: ReplyEffects,
  ) {}

  get isLeft(): boolean {
    return this.leaving.signal.aborted;
  }

  /** Requests the reply to a new message. */
  send(message: NewMessage, open: Open): void {
    const { content, files } = message;
    const former = this.unanswered && isSame(this.unanswered, message) ? this.unanswered : undefined;
    this.unanswered = null;
    this.begin(() => new LiveReply(this.stored.id, content, null, undefined, files), open, former);
  }

  /**
   * Requests a new branch from a message on.
   *
   * @param content the new text of the message; null for another reply
   */
  replace(message: Message, content: string | null, open: Open): void {
    this.begin(() => new LiveReply(this.stored.id, content, message.id), open);
  }

  /** Follows a reply that is already in progress. */
  joinActive(): void {
    const active = this.stored.chat.peek()?.active_message_id ?? null;
    if (active === null || this.live.peek()) return;
    const stored = this.stored.messages.peek().find(({ id }) => id === active);
    const live = new LiveReply(this.stored.id, null, null, stored);
    void this.follow(live, api.join(this.stored.id, this.options(live)), () => this.effects.reload());
  }

  /**
   * Resumes a reply that waited for a decision, and follows it in the background.
   *
   * @throws ApiError, ConnectionError if the service refuses the decision
   */
  async goOn(messageId: number, open: Open): Promise<void> {
    const stored = this.stored.messages.peek().find(({ id }) => id === messageId);
    const live = new LiveReply(this.stored.id, null, null, stored);
    const events = open(this.options(live))[Symbol.asyncIterator]();
    const first = await events.next();
    if (first.done) this.effects.catchUp();
    // The reply is already being followed: another decision came first, or an MCP server asked in the middle of a call.
    else if (this.live.peek()) await events.return?.();
    else void this.follow(live, continued(first.value, events), () => this.effects.reload());
  }

  /** Stops the reply. The text so far is kept. */
  async stop(): Promise<void> {
    if (!this.live.peek() || this.isStopping.peek()) return;
    this.isStopping.value = true;
    try {
      await api.chat.stop({ path: { chat_id: this.stored.id } });
    } finally {
      this.isStopping.value = false;
    }
  }

  leave(): void {
    this.leaving.abort();
  }

  /** @param former the same request without a response; with the same key, the service handles both only once */
  private begin(make: () => LiveReply, open: Open, former?: LiveReply): void {
    const live = make();
    if (former) live.key = former.key;
    this.refusal.value = null;
    const events = open({ ...this.options(live), idempotencyKey: live.key });
    void this.follow(live, events, (repeated) => this.begin(make, open, repeated));
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
    try {
      await this.read(live, events);
    } catch (error) {
      if (this.isLeft) return;
      if (isStoredFailure(error)) live.fail(error.details.message_id, error);
      else {
        refusal = refusalOf(live, error, again);
        if (refusal.message) this.unanswered = error instanceof ConnectionError ? live : null;
      }
    }
    await this.settle(live, refusal, again);
  }

  private async read(live: LiveReply, events: AsyncIterable<ReplyEvent>): Promise<void> {
    let drawnAt = performance.now();
    for await (const event of events) {
      live.take(event);
      if (event.type === 'message_start') this.noteBeginning(live, event.message_id);
      // An MCP server asks in the middle of a call, so the reply cannot end before the user answers.
      else if (event.type === 'action_required' && event.kind === 'input') this.stored.note(event);
      if (performance.now() - drawnAt <= MOST_WORK_MILLISECONDS) continue;
      await yieldToBrowser();
      drawnAt = performance.now();
    }
  }

  private noteBeginning(live: LiveReply, messageId: number): void {
    if (live.replaces !== null) this.context.drafts.keep(editPlace(live.replaces), '');
    const chat = this.stored.chat.peek();
    if (!chat || chat.active_message_id === messageId) return;
    const now = new Date().toISOString();
    const updated_at = now > chat.updated_at ? now : chat.updated_at;
    this.effects.change({ ...chat, active_message_id: messageId, last_message_at: updated_at, updated_at });
  }

  /** Replaces the streamed reply by its stored state. */
  private async settle(live: LiveReply, refusal: Refusal | null, again: Again): Promise<void> {
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
        // The streamed text stays until the stored state can be read.
        this.refusal.value = hasBegun ? { error: refusal?.error ?? error, again: retry } : (refusal ?? { error });
        if (!hasBegun) this.live.value = null;
      });
      return;
    }
    if (this.isLeft) return;
    const hasArrived = this.stored.messages
      .peek()
      .some(({ id, content }) => id > newest && content === refusal?.message?.content);
    const isOver = (hasBegun || hasArrived) && refusal?.error instanceof ConnectionError;
    // From now on, the same text is a new message.
    if (hasArrived) this.unanswered = null;
    batch(() => {
      this.refusal.value = isOver ? null : (refusal ?? this.unseenFailure(live, again) ?? this.refusal.peek());
      this.live.value = null;
    });
    if (hasBegun) this.announceEnd(live);
    if (hasBegun || isApiError(refusal?.error, 'QUOTA_EXCEEDED')) this.context.quota.take(live.end?.facts?.quota);
    this.context.budget.spend(live.end?.cost);
    if (isApiError(refusal?.error, 'BUDGET_EXCEEDED')) void this.context.budget.read();
    // Another tab or an API client may have started a reply since.
    this.joinActive();
  }

  private announceEnd(live: LiveReply): void {
    this.announcement.value = announcementOf(live);
    const chat = this.stored.chat.peek();
    if (chat) {
      this.effects.change(chat);
      notifyOfEnd(live, chat.title);
    }
    const isTitleDue = live.end?.status === 'completed' && live.end.title === undefined && this.stored.length === 2;
    if (isTitleDue) setTimeout(() => this.effects.catchUp(), TITLE_MILLISECONDS);
  }

  /**
   * A regenerated reply that fails without text does not stay on the branch. The previous reply is shown again, so the
   * failure is reported separately.
   */
  private unseenFailure({ failure, messageId }: LiveReply, again: Again): Refusal | null {
    const isShown = this.stored.messages.peek().some(({ id, is_current }) => id === messageId.peek() && is_current);
    return failure && !isShown ? { error: failure, again: () => again() } : null;
  }
}

async function* continued(first: ReplyEvent, rest: AsyncIterator<ReplyEvent>): AsyncGenerator<ReplyEvent> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

/** Whether text and files are the same. */
function isSame(one: { content: string | null; files: NewMessage['files'] }, other: NewMessage): boolean {
  const hasSameFiles =
    one.files.length === other.files.length && one.files.every((file, index) => file === other.files[index]);
  return one.content === other.content && hasSameFiles;
}
