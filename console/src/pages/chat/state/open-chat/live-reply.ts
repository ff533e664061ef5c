import { signal } from '@preact/signals';
import type { Citation, ReplyEvent } from 'chat-service-client';
import type { Attachment } from '../attachments/attachments';
import type { Message } from '../types';
import { callsOf, type ShownCall, withCall } from './shown-call';

/** A message to send: text, files, or both. */
export interface NewMessage {
  content: string;
  files: readonly Attachment[];
}

export type ReplyEnd = Extract<ReplyEvent, { type: 'message_end' }>;

/** A reply in progress. It renders at most once per frame. */
export class LiveReply {
  readonly text = signal('');
  readonly reasoning = signal('');
  /** The tool calls, in order. */
  readonly calls = signal<ShownCall[]>([]);
  readonly citations = signal<readonly Citation[]>([]);
  readonly isConnected = signal(true);
  /** Id of the reply; null until the service has started it. */
  readonly messageId = signal<number | null>(null);
  userMessageId: number | null = null;
  /** Idempotency key of the request. Pages without HTTPS have no `randomUUID`. */
  key = `${Date.now()}-${Math.random()}`;
  /** Why the reply failed. */
  failure: { message: string } | null = null;
  /** How the reply ended; null while it is running. */
  end: ReplyEnd | null = null;
  readonly startedAt = performance.now();
  private newestText: string;
  private newestReasoning: string;
  private newestCitations: readonly Citation[];
  /** Length of the received text, including text that was stored before. */
  private offset = 0;
  private frame = 0;

  /**
   * @param content text of the user's message, if it is not stored yet
   * @param replaces the message at which the new branch starts
   * @param stored the stored part of the reply
   * @param files files of the user's message
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
    this.newestCitations = this.citations.value = stored?.citations ?? [];
    this.newestText = this.text.value = stored?.content ?? '';
    this.newestReasoning = this.reasoning.value = stored?.reasoning ?? '';
  }

  /** Whether this reply covers a stored message. */
  shows({ id }: Message): boolean {
    return id === this.messageId.value || (id === this.userMessageId && this.content !== null);
  }

  /** Marks the reply as stored with a failure. */
  fail(messageId: number, failure: { message: string }): void {
    this.messageId.value = messageId;
    this.failure = failure;
  }

  take(event: ReplyEvent): void {
    if (event.type === 'message_start') {
      this.userMessageId = event.user_message_id;
      this.messageId.value = event.message_id;
      this.offset = event.offset;
      // A stream from the start repeats all of the reasoning.
      if (event.offset === 0) this.newestReasoning = '';
    } else if (event.type === 'delta') {
      // The offset is the text length after this delta, so repeated text is not added twice.
      this.newestText = this.newestText.slice(0, event.offset - event.text.length) + event.text;
      this.offset = event.offset;
    } else if (event.type === 'reasoning') {
      this.newestReasoning += event.text;
    } else if (event.type === 'tool_call' || event.type === 'tool_progress' || event.type === 'tool_result') {
      this.calls.value = withCall(this.calls.peek(), event, this.offset);
    } else if (event.type === 'citation') {
      this.newestCitations = [...this.newestCitations, event];
    } else if (event.type === 'message_end') {
      this.newestCitations = event.citations ?? this.newestCitations;
      this.end = event;
      this.failure = event.error;
      this.drawNow();
      return;
    }
    this.drawSoon();
  }

  /** At the end, the rest renders at once, even in a hidden tab, which gets no animation frames. */
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
    this.citations.value = this.newestCitations;
  }
}
