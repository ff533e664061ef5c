import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import { InvalidParameterError } from '../../errors/validation.errors';
import { loadPackage } from '../../load-package';

/** Limits of all fields together. */
const MOST_FIELDS = 10;
const LONGEST_FIELD = 65_536;

/** What the fields and the boundaries of a body may take in addition to the file. */
const OTHER_BYTES = MOST_FIELDS * LONGEST_FIELD + 65_536;

/** While the client is sending: how often `check` runs, and how many bytes must arrive in a period. */
const CHECK_MILLISECONDS = 1_000;
const PERIOD_MILLISECONDS = 10_000;
const LEAST_BYTES = 65_536;

export interface MultipartRules<Stored> {
  /** The field of the file. */
  field: string;
  /** Most bytes of the file. */
  limit: number;
  /** The error for more bytes. */
  tooLarge: () => Error;
  /** Runs every second while the body arrives. If it fails, so does the body. */
  check: () => Promise<unknown>;
  /** Stores the file while it arrives. If the body turns out to be faulty later, `discard` removes it. */
  store: (file: AsyncIterable<Buffer>) => Promise<Stored>;
  discard: (stored: Stored) => Promise<void>;
}

export interface MultipartBody<Stored> {
  /** Fields by their names, which are sorted; of several with the same name, the last one. */
  fields: Record<string, string>;
  /** As the client sent it. */
  filename: string;
  stored: Stored;
}

/** The part of `@fastify/busboy` that is used here. It is loaded with the first upload. */
interface Parser extends NodeJS.WritableStream {
  destroy(error?: Error): unknown;
}
type ParserClass = new (options: object) => Parser;

/** The body is not a form with one file, or has too many or too long fields. */
export function invalidMultipart(): InvalidParameterError {
  return new InvalidParameterError([{ field: 'body', reason: 'invalid_multipart' }]);
}

export function isMultipart({ 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  return /^multipart\/form-data\s*;/i.test(type);
}

/**
 * Reads a form (RFC 7578) with one file, which is stored while it arrives: the body is never in memory. A body
 * that fails leaves nothing.
 *
 * @throws InvalidParameterError (`invalid_multipart`, `timed_out`), `tooLarge`, errors of `check` and `store`
 */
export async function readMultipart<Stored>(
  request: Request,
  response: Response,
  rules: MultipartRules<Stored>,
): Promise<MultipartBody<Stored>> {
  if (Number(request.headers['content-length'] ?? 0) > rules.limit + OTHER_BYTES) {
    throw rules.tooLarge();
  }
  if (request.headers.expect !== undefined) {
    response.writeContinue();
  }
  const form = new ArrivingForm(request.headers, rules);
  try {
    for await (const part of arriving(request, rules)) {
      await form.write(part);
    }
    return await form.end();
  } catch (error) {
    await form.abandon(error as Error);
    throw error;
  }
}

/** A form while it arrives. */
class ArrivingForm<Stored> {
  private readonly fields = new Map<string, string>();
  private readonly parser: Parser;
  private file: { name: string; stream: Readable; stored: Promise<Stored> } | null = null;
  /** Rejects with the first fault. */
  private readonly fault: Promise<never>;
  private fail!: (error: Error) => void;
  private readonly closed: Promise<void>;

  constructor(
    headers: IncomingHttpHeaders,
    private readonly rules: MultipartRules<Stored>,
  ) {
    this.fault = new Promise((_resolve, reject) => (this.fail = reject));
    // Another await may see the fault first, or none.
    this.fault.catch(() => undefined);
    this.parser = parserOf(headers, rules.limit);
    this.closed = new Promise((resolve) => this.parser.once('finish', resolve));
    this.parser
      .on('field', (name: string, value: string, isNameCut: boolean, isCut: boolean) => {
        if (isNameCut || isCut) {
          this.fail(invalidMultipart());
        }
        this.fields.set(name, value);
      })
      .on('file', (name: string, stream: Readable, filename: string | undefined) =>
        this.begin(name, stream, filename ?? ''),
      )
      .on('error', () => this.fail(invalidMultipart()));
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit']) {
      this.parser.on(limit, () => this.fail(invalidMultipart()));
    }
  }

  async write(part: Buffer): Promise<void> {
    if (!this.parser.write(part)) {
      await Promise.race([this.fault, new Promise((resolve) => this.parser.once('drain', resolve))]);
    }
  }

  /** @throws the fault; InvalidParameterError if the body has no file */
  async end(): Promise<MultipartBody<Stored>> {
    this.parser.end();
    await Promise.race([this.fault, this.closed]);
    if (this.file === null) {
      throw invalidMultipart();
    }
    const stored = await Promise.race([this.fault, this.file.stored]);
    return { fields: Object.fromEntries([...this.fields].sort()), filename: this.file.name, stored };
  }

  /** Nothing of a faulty form is kept. */
  async abandon(error: Error): Promise<void> {
    this.parser.destroy();
    if (this.file !== null) {
      this.file.stream.destroy(error);
      const stored = await this.file.stored.catch(() => null);
      if (stored !== null) {
        await this.rules.discard(stored);
      }
    }
  }

  private begin(name: string, stream: Readable, filename: string): void {
    // The consumer of the stream sees its errors.
    stream.on('error', () => undefined);
    if (this.file !== null || name !== this.rules.field) {
      stream.resume();
      this.fail(invalidMultipart());
      return;
    }
    stream.once('limit', () => {
      const error = this.rules.tooLarge();
      this.fail(error);
      stream.destroy(error);
    });
    const stored = this.rules.store(stream as AsyncIterable<Buffer>);
    stored.catch((error: Error) => this.fail(error));
    this.file = { name: filename, stream, stored };
  }
}

/** @throws InvalidParameterError if the header names no boundary */
function parserOf(headers: IncomingHttpHeaders, limit: number): Parser {
  const { Busboy } = loadPackage('@fastify/busboy') as { Busboy: ParserClass };
  const limits = { fields: MOST_FIELDS, fieldSize: LONGEST_FIELD, files: 1, parts: MOST_FIELDS + 1, fileSize: limit };
  try {
    return new Busboy({ headers, limits, defCharset: 'utf8', preservePath: true });
  } catch {
    throw invalidMultipart();
  }
}

/**
 * The parts of a body as they arrive. The client's connection stays open if the receiver stops.
 *
 * @throws `tooLarge`, errors of `check`; InvalidParameterError if the client is too slow, or disconnects
 */
async function* arriving(
  request: Request,
  { limit, tooLarge, check }: Pick<MultipartRules<unknown>, 'limit' | 'tooLarge' | 'check'>,
): AsyncGenerator<Buffer> {
  const parts = request.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let [bytes, before, waited, checkedAt] = [0, 0, 0, performance.now()];
  for (;;) {
    const next = parts.next().catch(() => Promise.reject(invalidMultipart()));
    // If the receiver stops first, no one waits for it.
    next.catch(() => undefined);
    for (let part: IteratorResult<Buffer> | null = null; part === null;) {
      const askedAt = performance.now();
      part = await within(CHECK_MILLISECONDS, next);
      const now = performance.now();
      waited += now - askedAt;
      if (waited >= PERIOD_MILLISECONDS) {
        if (bytes - before < LEAST_BYTES && part?.done !== true) {
          throw new InvalidParameterError([{ field: 'request', reason: 'timed_out' }]);
        }
        [waited, before] = [0, bytes];
      }
      if (now - checkedAt >= CHECK_MILLISECONDS) {
        checkedAt = now;
        await check();
      }
      if (part?.done === true) {
        return;
      }
      if (part !== null) {
        bytes += part.value.length;
        if (bytes > limit + OTHER_BYTES) {
          throw tooLarge();
        }
        yield part.value;
      }
    }
  }
}

/** The result, or null if it takes longer. */
async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), milliseconds).unref()));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
