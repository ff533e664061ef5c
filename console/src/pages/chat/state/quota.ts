import { signal } from '@preact/signals';
import type { QuotaLeftDto } from 'chat-service-client';
import { api } from '../../../app/api';
import type { ChatEvents } from './chat-events';
import type { Quota } from './types';

type Allowance = Quota['messages'];

/** What the person may still use today. It is read once; then each reply says what it has left. */
export class QuotaState {
  readonly quota = signal<Quota | null>(null);

  constructor(private readonly events: ChatEvents) {
    events.subscribe((event) => {
      if (event.kind === 'quota') this.quota.value = event.quota;
    });
    void this.read();
  }

  /** When there is no answer, the last one stays. */
  async read(): Promise<void> {
    this.quota.value = await api.usage.quota().catch(() => this.quota.peek());
  }

  /** @param left what a reply has said; absent when it has not */
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
