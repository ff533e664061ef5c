import type { ReplyEvent, ReplyOptions } from 'chat-service-client';

/** One incoming reply, event by event. */
export class Stream implements AsyncIterable<ReplyEvent> {
  private readonly events: (ReplyEvent | Error | null)[] = [];
  private wake: () => void = () => undefined;

  constructor(readonly options: ReplyOptions) {}

  push(...events: (ReplyEvent | Error)[]): void {
    this.events.push(...events);
    this.wake();
  }

  end(...events: ReplyEvent[]): void {
    this.events.push(...events, null);
    this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ReplyEvent> {
    for (;;) {
      const event = this.events.shift();
      if (event === null) return;
      if (event instanceof Error) throw event;
      if (event) yield event;
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

export const start = (userMessageId: number, messageId: number): ReplyEvent => ({
  type: 'message_start',
  chat_id: 1,
  user_message_id: userMessageId,
  message_id: messageId,
  offset: 0,
});

export const delta = (text: string, offset = text.length): ReplyEvent => ({ type: 'delta', text, offset });

/** @param messageCount the new number of messages in the branch */
export const end = (messageCount: number, members: object = {}): ReplyEvent =>
  ({
    type: 'message_end',
    user_message_id: 3,
    message_id: 4,
    status: 'completed',
    finish_reason: 'stop',
    error: null,
    title: 'A title',
    cost: '0.25',
    currency: 'USD',
    facts: {
      created_at: '2026-03-01T00:00:00.000Z',
      completed_at: '2026-03-01T00:00:01.000Z',
      first_token_ms: 1,
      duration_ms: 2,
      message_count: messageCount,
      quota: null,
    },
    ...members,
  }) as ReplyEvent;
