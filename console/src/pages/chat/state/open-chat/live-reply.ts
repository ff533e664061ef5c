import { signal } from '@preact/signals';
import type { ReplyEvent } from 'chat-service-client';
import type { Attachment } from '../attachments/attachments';
import type { Message } from '../types';
import { callsOf, type ShownCall, withCall } from './shown-call';

/** What a person sends: words, files, or both. */
export interface NewMessage {
  content: string;
  files: readonly Attachment[];
}

export type ReplyEnd = Extract<ReplyEvent, { type: 'message_end' }>;

/** A reply while it is written. What came is drawn at most once in a frame. */
export class LiveReply {
  readonly text = signal('');
  readonly reasoning = signal('');
  /** The calls of tools, in their order. */
  readonly calls = signal<ShownCall[]>([]);
  readonly isConnected = signal(true);
  /** Of the reply; null until the service has begun it. */
  readonly messageId = signal<number | null>(null);
  userMessageId: number | null = null;
  /** Of the request that asks for it. Pages without HTTPS have no `randomUUID`. */
  key = `${Date.now()}-${Math.random()}`;
  /** Why it failed. */
  failure: { message: string } | null = null;
  /** How it ended, once it has. */
  end: ReplyEnd | null = null;
  readonly startedAt = performance.now();
  private newestText: string;
  private newestReasoning: string;
  /** How much of the text has come, or was there before. */
  private offset = 0;
  private frame = 0;

  /**
   * @param content the words of the message that it answers, when that is not stored yet
   * @param replaces the message from which on the branch is another one
   * @param stored what is stored of the reply already
   * @param files those of the message that it answers
   */
  constructor(
    readonly chatId: number,
    readonly content: string | null,
    readonly replaces: number | null,
    stored?: Message,
    readonly files: readonly Attachment[] = [],
  ) {
    this.messageId.value = stored?.id ?? null;
    this.calls.value = callsOf(stored);
    this.newestText = this.text.value = stored?.content ?? '';
    this.newestReasoning = this.reasoning.value = stored?.reasoning ?? '';
  }

  /** Whether a stored message is this one. */
  shows({ id }: Message): boolean {
    return id === this.messageId.value || (id === this.userMessageId && this.content !== null);
  }

  /** The reply is stored with a failure. */
  fail(messageId: number, failure: { message: string }): void {
    this.messageId.value = messageId;
    this.failure = failure;
  }

  take(event: ReplyEvent): void {
    if (event.type === 'message_start') {
      this.userMessageId = event.user_message_id;
      this.messageId.value = event.message_id;
      this.offset = event.offset;
      // From its beginning on, all of the thinking comes again.
      if (event.offset === 0) this.newestReasoning = '';
    } else if (event.type === 'delta') {
      // The offset counts what is here after this text, so that nothing comes twice.
      this.newestText = this.newestText.slice(0, event.offset - event.text.length) + event.text;
      this.offset = event.offset;
    } else if (event.type === 'reasoning') {
      this.newestReasoning += event.text;
    } else if (event.type === 'tool_call' || event.type === 'tool_progress' || event.type === 'tool_result') {
      this.calls.value = withCall(this.calls.peek(), event, this.offset);
    } else if (event.type === 'message_end') {
      this.end = event;
      this.failure = event.error;
      this.drawNow();
      return;
    }
    this.drawSoon();
  }

  /** At its end everything is shown at once, also in a tab that is not in view and gets no frames. */
  private drawNow(): void {
    cancelAnimationFrame(this.frame);
    this.draw();
  }

  private drawSoon(): void {
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    this.frame = 0;
    this.text.value = this.newestText;
    this.reasoning.value = this.newestReasoning;
  }
}
