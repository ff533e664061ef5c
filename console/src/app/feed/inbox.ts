import { computed, type Signal, signal } from '@preact/signals';
import type { ActionDto } from 'chat-service-client';
import { api } from '../api';
import type { Visit } from '../visit';
import type { Happening } from './feed-messages';
import { Happenings } from './happenings';

/** Maximum number of pending actions that are loaded and counted. */
export const MOST_WAITING = 100;

/** Debounces the events of one reply into a single request. */
const WAIT_MILLISECONDS = 250;

/**
 * How long the first request waits for the feed to open. An event between an earlier request and the opening would be
 * missed.
 */
const OPENING_MILLISECONDS = 3_000;

/** Actions that wait for this user: in their own conversations, and in those where they are the approver. */
export class Inbox {
  /** Newest first; null until loaded. */
  readonly waiting: Signal<ActionDto[] | null>;
  readonly count = computed(() => this.waiting.value?.length ?? 0);
  /** Whether `waiting` includes everything that happened before the feed opened. */
  private isComplete = false;
  private readonly happenings: Happenings;
  private readonly stop: () => void;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(visit: Visit) {
    this.waiting = signal(visit.start.take('actions') ?? null);
    this.happenings = visit.part(Happenings);
    this.stop = this.happenings.subscribe((event) => this.take(event));
    addEventListener('visibilitychange', this.catchUp);
  }

  /** Loads the actions once the feed is open, unless the bootstrap response included them. */
  begin(): void {
    if (this.isComplete || this.timer !== undefined) return;
    if (this.happenings.isOpen) this.noteOpening();
    else if (this.waiting.peek() === null) this.lookIn(OPENING_MILLISECONDS);
  }

  /** @throws ApiError, ConnectionError */
  async read(): Promise<void> {
    this.waiting.value = await api.user.actions.list({ query: { limit: MOST_WAITING } });
    this.isComplete = true;
  }

  /** Removes a decided action. */
  forget(id: number): void {
    this.waiting.value = this.waiting.peek()?.filter((action) => action.id !== id) ?? null;
  }

  /** A failure is ignored: the list on screen was correct a moment ago. */
  readonly catchUp = (): void => {
    if (document.visibilityState === 'visible') void this.read().catch(() => undefined);
  };

  dispose(): void {
    clearTimeout(this.timer);
    removeEventListener('visibilitychange', this.catchUp);
    this.stop();
  }

  private take({ type, data }: Happening): void {
    if (type === 'action.decided' && data.action_id !== undefined) this.forget(data.action_id);
    else if (type === 'opened') this.noteOpening();
    else if (type === 'action.required' || type === 'reset') this.lookIn(WAIT_MILLISECONDS);
  }

  private noteOpening(): void {
    this.isComplete = this.waiting.peek() !== null && !this.happenings.isSomethingMissed;
    if (!this.isComplete) this.lookIn(0);
  }

  private lookIn(milliseconds: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.catchUp();
    }, milliseconds);
  }
}
