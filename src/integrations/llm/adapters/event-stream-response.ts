import { StringDecoder } from 'node:string_decoder';
import { createParser, type EventSourceMessage, type EventSourceParser } from 'eventsource-parser';
import type { Dispatcher } from 'undici';
import { GenerationAbortedError, ModelProviderError } from '../port/llm.errors';
import { AnswerDecoder, type Compression, compressionOf, type Pausable } from './answer-decoder';
import { AnswerText, LONGEST_FAILURE_TEXT, LONGEST_JSON } from './answer-text';
import { failureForAnswer, failureForConnection, failureForStatus, withoutKeys } from './refusals/provider-failure';

/** The period over which bytes and work are counted, in milliseconds. */
const WINDOW_MILLISECONDS = 50;

/** Bytes of one response per window, 1 MB a second: several times the output of the fastest models. */
const BYTES_IN_WINDOW = 49_152;

/** Milliseconds of work per window. A few large events are little work, many small ones are much. */
const WORK_IN_WINDOW = 6;

/** Responses of all providers that are paused at this moment. */
let waiting = 0;

/**
 * Prevents a provider that floods the service from blocking the event loop: a response that is faster than any model is
 * read at a steady pace, and the network holds back the rest. Several such responses take turns. Ordinary responses are
 * never paused.
 */
export class StreamPace {
  private windowBegan = -Infinity;
  private bytes = 0;
  private work = 0;
  private timer: NodeJS.Timeout | undefined;

  /** A piece of the response was read, in the given milliseconds. */
  took(bytes: number, milliseconds: number, source: Pausable): void {
    const now = performance.now();
    if (now - this.windowBegan >= WINDOW_MILLISECONDS) {
      this.windowBegan = now;
      this.bytes = this.work = 0;
    }
    this.bytes += bytes;
    this.work += milliseconds;
    if (this.bytes > BYTES_IN_WINDOW && this.work > WORK_IN_WINDOW && this.timer === undefined) {
      waiting++;
      source.pause();
      this.timer = setTimeout(() => this.resumeSource(source), WINDOW_MILLISECONDS * waiting);
    }
  }

  /** The response has ended. */
  end(): void {
    if (this.timer !== undefined) {
      clearTimeout(this.timer);
      this.timer = undefined;
      waiting--;
    }
  }

  private resumeSource(source: Pausable): void {
    this.end();
    this.windowBegan = -Infinity;
    source.resume();
  }
}

/** Most bytes of one response; each token takes some 300 bytes of JSON. */
const MAXIMUM_ANSWER_BYTES = 256 * 1_024 * 1_024;
/** How long the service waits for the text of a failure. */
const FAILURE_TEXT_MILLISECONDS = 1_000;
/** How long a server may keep the connection open after the end of the reply. */
const CLOSE_MILLISECONDS = 1_000;
/**
 * How long the server may be silent after a finish reason. Usage and an end mark usually follow, but some servers send
 * neither.
 */
const REST_MILLISECONDS = 5_000;

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/**
 * One response of a provider: from bytes to text to events, with limits. It takes undici's callbacks directly, because
 * a stream in between costs more per token than all the work here. The text decides what the response is, not its media
 * type.
 */
export class EventStreamResponse implements Dispatcher.DispatchHandler {
  /** Resolves when the reader is complete; rejects with a ModelProviderError or GenerationAbortedError. */
  readonly finished: Promise<void>;

  private readonly decoder = new StringDecoder('utf8');
  private readonly parser: EventSourceParser;
  private readonly pace = new StreamPace();
  private controller: Dispatcher.DispatchController | null = null;
  /** Null if the response is not compressed. */
  private unpacking: AnswerDecoder | null = null;
  private settle!: { resolve(): void; reject(error: unknown): void };
  private isSettled = false;
  private hasAnswerBegun = false;
  private isFirstText = true;
  private receivedBytes = 0;
  /** The text before the first event; null once there was one. */
  private text: AnswerText | null = new AnswerText();
  /** The status, if it is a failure. */
  private failedStatus: number | null = null;
  private retryAfter: string | string[] | undefined;
  private isTaken = false;
  private brokenBy: Error | null = null;
  private timer: NodeJS.Timeout | undefined;

  /** @param key the service's key for the provider, which must not reach the log even if the provider repeats it */
  constructor(
    private readonly reader: EventStreamReader,
    private readonly key: string | null,
  ) {
    this.finished = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
    this.parser = createParser({
      maxBufferSize: LONGEST_JSON,
      onEvent: (event) => {
        if (this.text !== null) {
          this.text = null;
          this.noteTaken();
        }
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
    // The raw headers are no longer needed, and would stay in memory while the reply runs.
    controller.rawHeaders = null;
    this.retryAfter = headers['retry-after'];
    if (status !== 200) {
      this.failedStatus = status;
      this.timer = setTimeout(() => this.failWithText(), FAILURE_TEXT_MILLISECONDS);
    }
    try {
      const compression = compressionOf(headers['content-encoding']);
      this.unpacking = compression && this.unpackerOf(compression);
    } catch (error) {
      this.breakOff(error as Error);
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.isSettled) {
      return;
    }
    if (this.unpacking === null) {
      this.take(bytes, controller);
    } else {
      this.unpacking.write(bytes, controller);
    }
  }

  onResponseEnd(): void {
    if (this.unpacking === null || this.isSettled) {
      this.end();
    } else {
      this.unpacking.end();
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.brokenBy = failureForConnection(error, this.hasAnswerBegun);
    if (this.unpacking === null || this.isSettled) {
      this.end();
    } else {
      // The end of the reply may have arrived and only wait to be decompressed.
      this.unpacking.end();
    }
  }

  private unpackerOf(compression: Compression): AnswerDecoder {
    return new AnswerDecoder(compression, {
      onBytes: (bytes, source) => this.take(bytes, source),
      onEnd: () => this.end(),
      onBroken: (error) => this.breakOff(error),
    });
  }

  private take(bytes: Buffer, source: Pausable): void {
    if (this.isSettled) {
      return;
    }
    this.receivedBytes += bytes.length;
    const began = performance.now();
    try {
      this.feed(this.decoder.write(bytes));
      this.pace.took(bytes.length, performance.now() - began, source);
    } catch (error) {
      this.breakOff(error as Error);
    }
  }

  private end(): void {
    this.stopTimers();
    this.controller = null;
    if (this.isSettled) {
      return;
    }
    if (this.failedStatus !== null) {
      this.failWithText();
    } else {
      this.endText();
    }
  }

  private endText(): void {
    try {
      // Some servers omit the blank line after their last event.
      this.feed(`${this.decoder.end()}\n\n`);
    } catch (error) {
      this.breakOff(error as Error);
      return;
    }
    try {
      this.readBody();
    } catch (error) {
      this.fail(error as Error);
      return;
    }
    if (this.brokenBy === null) {
      this.complete();
    } else {
      this.breakOff(this.brokenBy);
    }
  }

  private feed(text: string): void {
    if (this.receivedBytes > MAXIMUM_ANSWER_BYTES) {
      throw failureForAnswer(`The answer is larger than ${MAXIMUM_ANSWER_BYTES} bytes.`);
    }
    if (text === '') {
      return;
    }
    if (this.text !== null) {
      this.keep(this.text, text);
    }
    if (this.failedStatus !== null) {
      return;
    }
    const isMarked = this.isFirstText && text.charCodeAt(0) === 0xfeff;
    this.isFirstText = false;
    this.parser.feed(isMarked ? text.slice(1) : text);
    if (this.reader.isComplete) {
      this.complete();
    } else if (this.reader.hasFinished) {
      this.awaitRest();
    }
  }

  private keep(before: AnswerText, text: string): void {
    before.add(text);
    if (this.failedStatus !== null) {
      if (before.length > LONGEST_FAILURE_TEXT) {
        this.failWithText();
      }
    } else if (before.isJson === false) {
      this.noteTaken();
    } else if (before.length > LONGEST_JSON) {
      throw failureForAnswer(`The answer is JSON with more than ${LONGEST_JSON} characters.`);
    }
  }

  /** Reads a response without events: a whole reply, or an error. */
  private readBody(): void {
    const { text } = this;
    if (text === null || this.isSettled) {
      return;
    }
    const body = text.parse();
    if (body === undefined) {
      this.noteTaken();
      if (text.isJson === null || text.isEventStream || this.brokenBy !== null) {
        return;
      }
      throw failureForAnswer(`The answer is not an event stream: ${text.toString()}`);
    }
    this.reader.onBody(body, text.toString(), this.retryAfter);
  }

  /** The provider has accepted the request. A response that is only JSON with an error does not accept it. */
  private noteTaken(): void {
    if (!this.isTaken && this.hasAnswerBegun && this.failedStatus === null) {
      this.isTaken = true;
      this.reader.onAnswered();
    }
  }

  private awaitRest(): void {
    if (this.timer === undefined) {
      this.timer = setTimeout(() => this.complete(), REST_MILLISECONDS);
    } else {
      this.timer.refresh();
    }
  }

  private failWithText(): void {
    if (this.failedStatus !== null) {
      this.fail(failureForStatus(this.failedStatus, this.text?.toString() ?? '', this.retryAfter));
    }
  }

  /**
   * Nothing after the end of a reply makes it fail, and a status is more informative than a response that cannot be
   * read.
   */
  private breakOff(error: Error): void {
    this.noteTaken();
    if (this.failedStatus !== null) {
      this.failWithText();
    } else if (this.reader.hasFinished && error instanceof ModelProviderError) {
      this.complete();
    } else {
      this.fail(error);
    }
  }

  private complete(): void {
    if (this.isSettled) {
      return;
    }
    try {
      this.reader.onEnd();
    } catch (error) {
      this.fail(error as Error);
      return;
    }
    clearTimeout(this.timer);
    this.isSettled = true;
    this.unpacking?.destroy();
    this.settle.resolve();
    if (this.controller !== null) {
      // The connection returns to the pool when the response ends. If the server does not end it, the service closes
      // it.
      this.timer = setTimeout(() => this.controller?.abort(new GenerationAbortedError()), CLOSE_MILLISECONDS);
    }
  }

  private fail(error: Error): void {
    if (!this.isSettled) {
      this.stopTimers();
      this.isSettled = true;
      this.unpacking?.destroy();
      withoutKeys(error, this.key);
      this.settle.reject(error);
      this.controller?.abort(error);
    }
  }

  private stopTimers(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.pace.end();
  }
}

/** Reads one provider's events. If it throws, the request ends with that error. */
export interface EventStreamReader {
  /** Whether the provider has marked the reply as complete. Later events are not read. */
  readonly isComplete: boolean;
  /** Whether the reply has ended. Only its usage and an end mark may follow. */
  readonly hasFinished: boolean;
  /** The provider has accepted the request. */
  onAnswered(): void;
  onEvent(event: EventSourceMessage): void;
  /**
   * The whole response is JSON. Throws if it is no reply.
   *
   * @param retryAfter the header of this name, for an error in the body
   */
  onBody(body: unknown, text: string, retryAfter: string | string[] | undefined): void;
  /** The response has ended. Throws if a part of the reply is missing. */
  onEnd(): void;
}
