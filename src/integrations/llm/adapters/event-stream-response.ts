import { StringDecoder } from 'node:string_decoder';
import { createParser, type EventSourceMessage, type EventSourceParser } from 'eventsource-parser';
import { type Dispatcher } from 'undici';
import { GenerationAbortedError } from '../port/llm.errors';
import { failureForAnswer, failureForConnection, failureForStatus, withoutKeys } from './refusals/provider-failure';
import { StreamPace } from './stream-pace';

/** Longest event, in characters; real ones have a few hundred. */
const MAXIMUM_EVENT_LENGTH = 1_000_000;
/** Most bytes of one answer; each token costs some 300 bytes of JSON. */
const MAXIMUM_ANSWER_BYTES = 256 * 1_024 * 1_024;
/** Longest text of a failure that is kept for the log, in characters, and the time to wait for it. */
const MAXIMUM_FAILURE_TEXT = 8_192;
const FAILURE_TEXT_MILLISECONDS = 1_000;
/** How long a server may keep the connection open after the end of the reply. */
const CLOSE_MILLISECONDS = 1_000;

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/**
 * One answer of a provider: from bytes to text to events, with limits. It takes undici's callbacks directly, because a
 * stream in between costs more per token than all the work here.
 */
export class EventStreamResponse implements Dispatcher.DispatchHandler {
  /** Resolves when the reader is complete; rejects with a ModelProviderError or GenerationAbortedError. */
  readonly finished: Promise<void>;

  private readonly decoder = new StringDecoder('utf8');
  private readonly parser: EventSourceParser;
  private readonly pace = new StreamPace();
  private controller: Dispatcher.DispatchController | null = null;
  private settle!: { resolve(): void; reject(error: unknown): void };
  private isSettled = false;
  private hasAnswerBegun = false;
  private isFirstText = true;
  private receivedBytes = 0;
  private failure: { status: number; retryAfter: string | string[] | undefined; text: string } | null = null;
  private closeTimer: NodeJS.Timeout | undefined;

  /** @param key our key for the provider: it must not reach the log, even if the provider repeats it */
  constructor(
    private readonly reader: EventStreamReader,
    private readonly key: string | null,
  ) {
    this.finished = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
    this.parser = createParser({
      maxBufferSize: MAXIMUM_EVENT_LENGTH,
      onEvent: (event) => {
        if (!reader.isComplete) {
          reader.onEvent(event);
        }
      },
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') {
          throw failureForAnswer(error.message);
        }
      },
    });
  }

  abort(): void {
    this.fail(new GenerationAbortedError());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.isSettled) {
      controller.abort(new GenerationAbortedError());
    }
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) {
      return;
    }
    this.hasAnswerBegun = true;
    // Nobody reads the raw headers again, and they would stay in memory while the reply runs.
    controller.rawHeaders = null;
    const contentType = String(headers['content-type'] ?? '');
    if (status !== 200 || /html|json/i.test(contentType)) {
      this.failure = { status, retryAfter: headers['retry-after'], text: '' };
      this.closeTimer = setTimeout(() => this.failWithText(), FAILURE_TEXT_MILLISECONDS);
    }
    if (status < 300 && !this.isSettled) {
      this.reader.onAnswered();
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    this.receivedBytes += bytes.length;
    const began = performance.now();
    try {
      if (this.failure !== null) {
        this.collectFailureText(this.failure, bytes);
      } else if (!this.isSettled) {
        this.feed(this.decoder.write(bytes));
        this.pace.took(bytes.length, performance.now() - began, controller);
      }
    } catch (error) {
      this.fail(error as Error);
    }
  }

  onResponseEnd(): void {
    clearTimeout(this.closeTimer);
    this.pace.end();
    if (this.failure !== null) {
      this.failWithText();
      return;
    }
    try {
      // Some servers leave out the blank line after their last event.
      this.feed(`${this.decoder.end()}\n\n`);
      this.reader.onEnd();
      this.succeed();
    } catch (error) {
      this.fail(error as Error);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.fail(failureForConnection(error, this.hasAnswerBegun));
  }

  private feed(text: string): void {
    if (this.receivedBytes > MAXIMUM_ANSWER_BYTES) {
      throw failureForAnswer(`The answer is larger than ${MAXIMUM_ANSWER_BYTES} bytes.`);
    }
    if (text === '' || this.isSettled) {
      return;
    }
    const isMarked = this.isFirstText && text.charCodeAt(0) === 0xfeff;
    this.isFirstText = false;
    this.parser.feed(isMarked ? text.slice(1) : text);
    if (this.reader.isComplete) {
      this.reader.onEnd();
      this.succeed();
      // The connection returns to the pool when the answer ends. If the server does not end it, we close it.
      this.closeTimer = setTimeout(() => this.controller?.abort(new GenerationAbortedError()), CLOSE_MILLISECONDS);
    }
  }

  private collectFailureText(failure: { text: string }, bytes: Buffer): void {
    failure.text += this.decoder.write(bytes);
    if (failure.text.length > MAXIMUM_FAILURE_TEXT) {
      this.failWithText();
    }
  }

  private failWithText(): void {
    if (this.failure === null) {
      return;
    }
    const { status, retryAfter, text } = this.failure;
    this.fail(
      status === 200
        ? failureForAnswer(`The answer is not an event stream: ${text}`)
        : failureForStatus(status, text, retryAfter),
    );
  }

  private succeed(): void {
    this.isSettled = true;
    this.settle.resolve();
  }

  private fail(error: Error): void {
    clearTimeout(this.closeTimer);
    this.pace.end();
    if (!this.isSettled) {
      this.isSettled = true;
      withoutKeys(error, this.key);
      this.settle.reject(error);
      this.controller?.abort(error);
    }
  }
}

/** Reads one provider's events. If it throws, the request ends with that error. */
export interface EventStreamReader {
  /** Whether the provider has said that the reply is complete; later events are not read. */
  readonly isComplete: boolean;
  /** The provider answers with success. Nothing has been read yet. */
  onAnswered(): void;
  onEvent(event: EventSourceMessage): void;
  /** The answer has ended. Throws when a part of the reply is missing. */
  onEnd(): void;
}
