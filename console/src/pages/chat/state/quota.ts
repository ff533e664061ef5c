import { type Signal, signal } from '@preact/signals';
import type { QuotaLeftDto } from 'chat-service-client';
import { api } from '../../../app/api';
import type { ChatEvents } from './chat-events';
import type { Quota } from './types';

type Allowance = Quota['messages'];

/** The user's remaining quota of today. It is read once; each reply then reports the rest. */
export class QuotaState {
  readonly quota: Signal<Quota | null>;

  /** @param known quota from the bootstrap response */
  constructor(
    private readonly events: ChatEvents,
    known?: Quota,
  ) {
    this.quota = signal(known ?? null);
    events.subscribe((event) => {
      if (event.kind === 'quota') this.quota.value = event.quota;
    });
    if (!known) void this.read();
  }

  /** If the request fails, the last value stays. */
  async read(): Promise<void> {
    this.quota.value = await api.usage.quota().catch(() => this.quota.peek());
  }

  /** @param left quota that a reply has reported; absent if it has not */
  take(left: QuotaLeftDto | null | undefined): void {
    const known = this.quota.peek();
    const isOfToday = known !== null && Date.now() < Date.parse(known.resets_at);
    if (!left || !isOfToday) return void this.read();
    const { messages, tokens } = known;
    this.events.publish({
      kind: 'quota',
      quota: { ...known, messages: leave(messages, left.messages), tokens: leave(tokens, left.tokens) },
    });
  }
}

function leave({ limit, used }: Allowance, remaining: number | null): Allowance {
  return { limit, used: limit === null || remaining === null ? used : limit - remaining, remaining };
}
