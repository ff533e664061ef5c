import { Worker } from 'node:worker_threads';
import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import type { ModelMessage } from '../port/language-model-provider';
import type { MessagePart, ToolDefinition } from '../port/message-parts';
import { binaryTokens, partText, toolDefinitionText } from './prompt-estimate';
import { estimateTokens } from './token-estimate';

/** OpenAI's chat format adds 4 tokens to each message, including its role, and 3 to the upcoming reply. */
const TOKENS_PER_MESSAGE = 4;
const TOKENS_PER_REPLY = 3;
/** If the worker takes longer, it is replaced and the count is abandoned. */
const ANSWER_MILLISECONDS = 10_000;

/** The longest time for counting one text if a bound is enough. */
const MOST_MILLISECONDS = 20;

/** If texts are longer together, this many UTF-16 units are counted: a tenth of a second at most. */
const MOST_COUNTED = 32_768;
const SAMPLE = 1_024;

interface PendingCount {
  resolve(counts: number[] | null): void;
  timer: NodeJS.Timeout;
}

/**
 * Counts tokens exactly (o200k_base) in a worker thread, which starts with the first count. The tokenizer takes a tenth
 * of a second to load and some microseconds per word, which the event loop must not wait for. If the worker dies or
 * hangs, pending counts are estimated if they are only displayed, and null if a decision depends on them. The next
 * count starts another worker.
 */
@Injectable()
export class TokenCounter implements OnApplicationShutdown {
  /** Tests on slow machines set it; it is not a setting. */
  answerTimeout = ANSWER_MILLISECONDS;
  private readonly logger = new Logger(TokenCounter.name);
  private readonly pending = new Map<number, PendingCount>();
  private worker: Worker | null = null;
  private lastId = 0;

  async count(text: string): Promise<number> {
    const [count = 0] = await this.countAll([text]);
    return count;
  }

  /** Tokens of each text, in order. */
  async countAll(texts: string[]): Promise<number[]> {
    return (await this.countedAll(texts)) ?? texts.map(estimateTokens);
  }

  /** Tokens of each text, in order; null if they could not be counted. */
  countedAll(texts: string[]): Promise<number[] | null> {
    return this.ask({ texts });
  }

  private ask(request: { texts: string[]; milliseconds?: number }): Promise<number[] | null> {
    return new Promise((resolve) => {
      const id = ++this.lastId;
      const worker = (this.worker ??= this.startWorker());
      const timer = setTimeout(() => this.replace(worker, 'gave no answer in time'), this.answerTimeout);
      this.pending.set(id, { resolve, timer });
      worker.postMessage({ id, ...request });
    });
  }

  /**
   * At least the tokens of each text, in order. For a text that would take longer than 20 ms to count, its bytes. Null
   * as above.
   */
  boundAll(texts: string[]): Promise<number[] | null> {
    return this.ask({ texts, milliseconds: MOST_MILLISECONDS });
  }

  /**
   * Tokens of each text, in order, for a quick decision: for long texts only evenly spread samples are counted, and the
   * rest is estimated from them. Null if they could not be counted.
   */
  async sampleAll(texts: string[]): Promise<number[] | null> {
    const whole = sumOf(texts.map(({ length }) => length));
    const samples = texts.map((text) => samplesOf(text, (text.length * MOST_COUNTED) / whole));
    const counts = await this.countedAll(samples.flat());
    if (counts === null) {
      return null;
    }
    return texts.map((text, index) => {
      const own = samples[index] ?? [];
      const counted = sumOf(counts.splice(0, own.length));
      return own.length <= 1 ? counted : scale(counted, own, text);
    });
  }

  /**
   * Tokens of a conversation as a prompt, including those that the chat format adds. Images and files are estimated.
   *
   * @param tools functions that are offered to the model
   */
  async countConversation(messages: readonly ModelMessage[], tools: readonly ToolDefinition[] = []): Promise<number> {
    return (
      addedTokens(messages) + sumOf(await this.countAll([...messages.map(textOf), ...tools.map(toolDefinitionText)]))
    );
  }

  /** Tokens of a conversation as a prompt; null if its texts could not be counted. */
  async countedConversation(messages: readonly ModelMessage[]): Promise<number | null> {
    const counts = await this.countedAll(messages.map(textOf));
    return counts && addedTokens(messages) + sumOf(counts);
  }

  /** Tokens of the parts of a message. Images and files are estimated. */
  async countParts(parts: readonly MessagePart[]): Promise<number> {
    return binaryTokensOf({ parts }) + sumOf(await this.countAll(parts.map(partText)));
  }

  async onApplicationShutdown(): Promise<void> {
    const { worker } = this;
    this.abandon();
    await worker?.terminate();
  }

  private startWorker(): Worker {
    const worker = new Worker(TOKEN_WORKER_SOURCE, {
      eval: true,
      // Code that is passed as text has no folder, so it cannot resolve the package.
      workerData: { tokenizer: require.resolve('gpt-tokenizer/encoding/o200k_base') },
    });
    worker.unref();
    worker.on('message', ({ id, counts }: { id: number; counts: number[] }) => this.answer(id, counts));
    worker.on('error', (error: Error) => this.replace(worker, error.message));
    worker.on('exit', () => this.replace(worker, 'ended'));
    return worker;
  }

  private answer(id: number, counts: number[] | null): void {
    const count = this.pending.get(id);
    if (count !== undefined) {
      clearTimeout(count.timer);
      this.pending.delete(id);
      count.resolve(counts);
    }
  }

  private replace(worker: Worker, reason: string): void {
    if (worker === this.worker) {
      this.logger.warn(
        { reason, open: this.pending.size },
        'The worker that counts tokens failed; the open counts are estimated or left out.',
      );
      this.abandon();
      void worker.terminate();
    }
  }

  /** Abandons the worker and the pending counts. */
  private abandon(): void {
    this.worker = null;
    for (const id of this.pending.keys()) {
      this.answer(id, null);
    }
  }
}

/** Parts of a text with the given UTF-16 units in total; the whole text if it is shorter. */
function samplesOf(text: string, units: number): string[] {
  const count = Math.max(Math.floor(units / SAMPLE), 2);
  if (text.length <= Math.max(units, count * SAMPLE)) {
    return [text];
  }
  const step = (text.length - SAMPLE) / (count - 1);
  return Array.from({ length: count }, (_sample, index) => {
    const start = Math.floor(index * step);
    return text.slice(start, start + SAMPLE);
  });
}

/** Estimates have the same error in all parts of a text. */
function scale(counted: number, samples: readonly string[], text: string): number {
  return Math.round((estimateTokens(text) * counted) / sumOf(samples.map(estimateTokens)));
}

function textOf({ content, parts }: ModelMessage): string {
  return parts === undefined ? content : parts.map(partText).join('\n');
}

/** Tokens that the chat format adds to the texts, and the estimates of images and files. */
function addedTokens(messages: readonly ModelMessage[]): number {
  return messages.length * TOKENS_PER_MESSAGE + TOKENS_PER_REPLY + sumOf(messages.map(binaryTokensOf));
}

function binaryTokensOf({ parts = [] }: Pick<ModelMessage, 'parts'>): number {
  return sumOf(parts.map((part) => (part.type === 'image' || part.type === 'file' ? binaryTokens(part) : 0)));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/**
 * The code of the token counting worker, as text: a worker cannot load a TypeScript file, and a separate file would be
 * in different folders in the build and in tests.
 *
 * Tokenizing a run without breaks takes quadratic time, so text is counted in slices. A slice ends before a blank
 * between two words or before a Chinese or Japanese stop, where no token spans the cut and the sum stays exact. Only a
 * run of `SLICE` characters without such a place is cut anywhere, which may add a token.
 */
export const TOKEN_WORKER_SOURCE = `
'use strict';
const { parentPort, workerData } = require('node:worker_threads');
const { countTokens, setMergeCacheSize } = require(workerData.tokenizer);
const SLICE = 1000;
const options = { allowedSpecial: new Set(), disallowedSpecial: new Set() };
setMergeCacheSize(10000);

function isBoundary(before, character, after) {
  return character === ' '
    ? /\\S/.test(before) && /\\S/.test(after)
    : '，。！？；：、'.includes(character) && /\\p{L}/u.test(before);
}

function sliceEnd(text, start) {
  const limit = start + SLICE;
  if (limit >= text.length) {
    return text.length;
  }
  for (let end = limit; end > start + 1; end--) {
    if (isBoundary(text[end - 1], text[end], text[end + 1] ?? ' ')) {
      return end;
    }
  }
  return /[\\ud800-\\udbff]/.test(text[limit - 1]) ? limit - 1 : limit;
}

function count(text, milliseconds) {
  let tokens = 0;
  const last = performance.now() + milliseconds;
  for (let start = 0; start < text.length; ) {
    if (performance.now() > last) {
      return tokens + Buffer.byteLength(text.slice(start));
    }
    const end = sliceEnd(text, start);
    tokens += countTokens(text.slice(start, end), options);
    start = end;
  }
  return tokens;
}

parentPort.on('message', ({ id, texts, milliseconds = Infinity }) =>
  parentPort.postMessage({ id, counts: texts.map((text) => count(text, milliseconds)) }));
`;
