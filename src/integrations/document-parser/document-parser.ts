import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { counter } from '../../common/metrics/metrics';
import { SECOND_MILLISECONDS } from '../../common/time';
import { DocumentFailure, ParserDiedError } from './document-failure';
import { DocumentParserConfig } from './document-parser.config';
import type { ParserMessage, ParserOutput, ParserTask } from './parser-messages';
import { namedKind } from './reading/named-kind';

const MEBIBYTE = 1_048_576;

/** V8's share of the memory. The rest is for the program, and for bytes outside of V8's heap. */
const HEAP_SHARE = 0.75;

/** What the process writes if it has no memory left: V8's own words, and those of `parser-process.ts`. */
const OUT_OF_MEMORY = /MEMORY LIMIT|out of memory|Allocation failed/i;

/** As a nice value: a third of the time of a process with 0 when both want all of it. */
const LOWER_PRIORITY = 5;

/** How much of what the process writes is read. */
const MOST_WRITTEN = 16_384;

/** Changes whenever the same bytes may give another text. */
const VERSION = '1';

/** Names the way in which a file is read. Texts of the same bytes under the same name of it are the same. */
export function parserVersion(filename: string): string {
  return `${VERSION}-${namedKind(filename)}`;
}

/**
 * Reads documents. A process of its own reads each file, without network, without the environment of the service, and
 * with limits of time and memory. The output arrives in parts, and the process waits while a part is handled.
 */
@Injectable()
export class DocumentParser {
  private readonly killed = counter(
    'knowledge_parser_killed_total',
    'Processes that were ended while they read a file',
    ['reason'],
    [{ reason: 'timeout' }, { reason: 'memory' }],
  );

  constructor(private readonly config: DocumentParserConfig) {}

  /**
   * First `parsed`, then the pieces of the text (not for a text that is only cut), then its passages.
   *
   * @param content the bytes of the file, or the pieces of the text in UTF-8
   * @param signal ends the process
   * @throws DocumentFailure
   * @throws ParserDiedError
   */
  async *run(
    task: ParserTask,
    content: Buffer | AsyncIterable<Buffer>,
    signal: AbortSignal,
  ): AsyncGenerator<ParserOutput> {
    signal.throwIfAborted();
    const run = new ParserRun(this.start(), this.config.KNOWLEDGE_PARSE_SECONDS * SECOND_MILLISECONDS, signal);
    try {
      run.begin(task, content);
      for (let message = await run.next(); message.kind !== 'end'; message = await run.next()) {
        if (message.kind === 'fault') {
          throw new DocumentFailure(message.fault);
        }
        yield message;
      }
    } catch (error) {
      if (error instanceof DocumentFailure && (error.fault === 'timeout' || error.fault === 'memory')) {
        this.killed.inc({ reason: error.fault });
      }
      throw error;
    } finally {
      await run.end();
    }
  }

  private start(): ChildProcess {
    const memory = this.config.KNOWLEDGE_PARSE_MEMORY_MB;
    // Node 20 calls it experimental.
    const permission = process.allowedNodeEnvironmentFlags.has('--permission')
      ? '--permission'
      : '--experimental-permission';
    const child = fork(require.resolve('./parser-process'), [String(process.pid), String(memory * MEBIBYTE)], {
      execArgv: [
        `--max-old-space-size=${Math.floor(memory * HEAP_SHARE)}`,
        permission,
        '--allow-fs-read=*',
        '--allow-worker',
        '--no-warnings',
      ],
      env: {},
      serialization: 'advanced',
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
    });
    if (child.pid !== undefined) {
      lowerPriority(child.pid);
    }
    return child;
  }
}

/** Requests have the processor first, but a busy machine must not starve the process. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, Math.max(getPriority(), LOWER_PRIORITY));
  } catch {
    // It has ended already, or the system does not allow it.
  }
}

/** One process and what is known about its end. */
class ParserRun {
  private written = '';
  private hasTimedOut = false;
  private readonly ended: Promise<void>;
  private readonly kill = (): boolean => this.child.kill('SIGKILL');

  constructor(
    private readonly child: ChildProcess,
    private readonly milliseconds: number,
    private readonly signal: AbortSignal,
  ) {
    this.ended = new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('close', () => resolve());
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.written = (this.written + text).slice(0, MOST_WRITTEN);
    });
    // The process may end before it has read everything.
    child.stdin?.on('error', () => undefined);
    signal.addEventListener('abort', this.kill, { once: true });
  }

  begin(task: ParserTask, content: Buffer | AsyncIterable<Buffer>): void {
    this.child.send(task, () => undefined);
    const source = Buffer.isBuffer(content) ? Readable.from([content]) : Readable.from(content);
    if (this.child.stdin !== null) {
      source.on('error', this.kill).pipe(this.child.stdin);
    }
  }

  /** @throws DocumentFailure, ParserDiedError */
  async next(): Promise<ParserMessage> {
    const timer = setTimeout(() => {
      this.hasTimedOut = true;
      this.kill();
    }, this.milliseconds);
    const listening = new AbortController();
    try {
      const message = once(this.child, 'message', { signal: listening.signal });
      message.catch(() => undefined);
      this.requestNext();
      const answer = await Promise.race([message, this.ended.then(() => null)]);
      if (answer === null) {
        throw this.failure();
      }
      return answer[0] as ParserMessage;
    } finally {
      clearTimeout(timer);
      listening.abort();
    }
  }

  /** Ends the process if it still runs. */
  async end(): Promise<void> {
    this.signal.removeEventListener('abort', this.kill);
    this.kill();
    await this.ended;
  }

  private isFirst = true;

  private requestNext(): void {
    if (!this.isFirst && this.child.connected) {
      this.child.send('next', () => undefined);
    }
    this.isFirst = false;
  }

  private failure(): Error {
    if (this.signal.aborted) {
      return this.signal.reason as Error;
    }
    if (this.hasTimedOut) {
      return new DocumentFailure('timeout');
    }
    return OUT_OF_MEMORY.test(this.written) ? new DocumentFailure('memory') : new ParserDiedError();
  }
}
