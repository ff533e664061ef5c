import { computed, signal } from '@preact/signals';
import type { ActionDto } from 'chat-service-client';
import { api } from '../api';
import type { Visit } from '../visit';
import type { Happening } from './feed-messages';
import { Happenings } from './happenings';

/** So many are read and counted. */
export const MOST_WAITING = 100;

/** Several events of one reply are one look. */
const WAIT_MILLISECONDS = 250;

/** So long the first look waits for the feed, because what comes between both is told by neither. */
const OPENING_MILLISECONDS = 3_000;

/** What waits for the person: in their own conversations, and what they may decide for others. */
export class Inbox {
  /** The newest first; null until it was read. */
  readonly waiting = signal<ActionDto[] | null>(null);
  readonly count = computed(() => this.waiting.value?.length ?? 0);
  private readonly happenings: Happenings;
  private readonly stop: () => void;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(visit: Visit) {
    this.happenings = visit.part(Happenings);
    this.stop = this.happenings.subscribe((event) => this.take(event));
    addEventListener('visibilitychange', this.catchUp);
  }

  /** Reads once the feed is open. */
  begin(): void {
    if (this.waiting.peek() !== null || this.timer !== undefined) return;
    this.lookIn(this.happenings.isOpen ? 0 : OPENING_MILLISECONDS);
  }

  /** @throws ApiError, ConnectionError */
  async read(): Promise<void> {
    this.waiting.value = await api.user.actions.list({ query: { limit: MOST_WAITING } });
  }

  /** One is decided. */
  forget(id: number): void {
    this.waiting.value = this.waiting.peek()?.filter((action) => action.id !== id) ?? null;
  }

  /** Nothing is said when that fails: what is shown was true a moment ago. */
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
    else if (type === 'opened') this.lookIn(0);
    else if (type === 'action.required' || type === 'reset') this.lookIn(WAIT_MILLISECONDS);
  }

  private lookIn(milliseconds: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.catchUp();
    }, milliseconds);
  }
}
