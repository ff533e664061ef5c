import type { Readable } from 'node:stream';
import { ExponentialBackoff, halfJitterGenerator, handleWhen, retry } from 'cockatiel';
import { type Dispatcher, Pool } from '../../../common/undici';
import type { S3Settings } from './s3-settings';

/** The code of a request that was not answered in time, and of the requests that are refused after it. */
const HANGING = 'TIMEOUT';

/** A request to S3 that failed. The message contains no keys. */
class S3Error extends Error {
  override readonly name = 'S3Error';

  /**
   * @param status null if there was no answer
   * @param code of the error, from the server or the connection
   */
  constructor(
    method: string,
    readonly status: number | null,
    readonly code: string | null,
    cause?: unknown,
  ) {
    const reason = code === null ? '' : ` (${code})`;
    super(status === null ? `S3 did not answer ${method}${reason}` : `S3 answered ${status}${reason} to ${method}`, {
      cause,
    });
  }

  /** Whether the request was not answered in time. */
  get isHanging(): boolean {
    return this.status === null && this.code === HANGING;
  }

  /** Whether a retry may succeed soon. */
  get mayPass(): boolean {
    return this.status === null || this.status >= 500 || this.status === 429 || this.status === 408;
  }
}

const CONNECT_MILLISECONDS = 5_000;
const HEADERS_MILLISECONDS = 10_000;
/** Between two parts of a body. */
const BODY_MILLISECONDS = 10_000;
/** For one attempt, and for each MiB of a file that it sends. */
const ATTEMPT_MILLISECONDS = 30_000;
const MILLISECONDS_PER_MEBIBYTE = 1_000;
const MEBIBYTE = 1_048_576;
const CONNECTIONS = 16;
const HEADER_LIMIT = 16_384;

/** Objects are files of messages, which are far smaller. */
const LARGEST_BODY = 64 * 1_048_576;
/** How much of an error response is read. */
const LONGEST_FAULT = 4_096;

/** Pause between two probes of a store that does not answer. */
const LOOK_MILLISECONDS = 1_000;

/** Failures that may be temporary are retried twice, after up to half a second and up to a second. */
const tryingAgain = retry(
  handleWhen((error) => error instanceof S3Error && error.mayPass && !error.isHanging),
  {
    maxAttempts: 2,
    backoff: new ExponentialBackoff({ generator: halfJitterGenerator, initialDelay: 500, maxDelay: 1_000 }),
  },
);

/** Names of errors for a server that does not answer in time: those of undici, and that of the whole attempt. */
const TIMEOUTS = new Set(['ConnectTimeoutError', 'HeadersTimeoutError', 'BodyTimeoutError', 'TimeoutError']);

/** SHA-256 of the empty body. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Bytes that are read again for each attempt. */
interface StreamedBody {
  length: number;
  open: () => Readable;
}

interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** The name of the object after the prefix; null: the bucket itself. */
  name: string | null;
  body?: Uint8Array | StreamedBody;
  /** SHA-256 of the body, in hexadecimal digits; the server refuses other bytes. */
  sha256?: string;
  /** Statuses that count as success. */
  expected: readonly number[];
  /** No retries. */
  isTriedOnce?: boolean;
  attemptMilliseconds?: number;
}

interface S3Answer {
  status: number;
  body: Buffer;
}

/**
 * The S3 requests that a store of whole objects needs. Its address is a setting of the operator, so any host is
 * allowed. Redirects are not followed, the size and time of responses are limited, and temporary failures are retried
 * after a random pause. After a request that the store does not answer, others fail immediately until it answers again.
 *
 * Requests are signed by `aws4fetch`, which is loaded with the first one.
 */
export class S3Client {
  private readonly pool: Pool;
  /** The timer of the next probe of a store that does not answer; null while it answers. */
  private looking: NodeJS.Timeout | null = null;

  constructor(private readonly settings: S3Settings) {
    this.pool = new Pool(settings.endpoint.origin, {
      connections: CONNECTIONS,
      connectTimeout: CONNECT_MILLISECONDS,
      headersTimeout: HEADERS_MILLISECONDS,
      bodyTimeout: BODY_MILLISECONDS,
      maxHeaderSize: HEADER_LIMIT,
    });
  }

  /** @throws S3Error, like all methods */
  async put(name: string, body: Uint8Array | StreamedBody, sha256: string): Promise<void> {
    const attemptMilliseconds = ATTEMPT_MILLISECONDS + Math.ceil(body.length / MEBIBYTE) * MILLISECONDS_PER_MEBIBYTE;
    await this.send({ method: 'PUT', name, body, sha256, expected: [200, 201, 204], attemptMilliseconds });
  }

  /** The bytes as they arrive; null if there is no such object. */
  async stream(name: string): Promise<AsyncIterable<Buffer> | null> {
    if (!(await this.has(name))) {
      return null;
    }
    const answer = await this.request({ method: 'GET', name, expected: [200] });
    if (answer.statusCode !== 200) {
      throw new S3Error('GET', answer.statusCode, codeIn(await readBody(answer, LONGEST_FAULT)));
    }
    return answer.body as AsyncIterable<Buffer>;
  }

  /** The bytes; null if there is no such object. */
  async get(name: string): Promise<Buffer | null> {
    const { status, body } = await this.send({ method: 'GET', name, expected: [200, 404] });
    if (status === 404 && codeIn(body) === 'NoSuchBucket') {
      throw new S3Error('GET', status, 'NoSuchBucket');
    }
    return status === 404 ? null : body;
  }

  async has(name: string): Promise<boolean> {
    return (await this.send({ method: 'HEAD', name, expected: [200, 404] })).status === 200;
  }

  /**
   * Succeeds if there is no such object. It makes one short attempt, because the caller holds a transaction and retries
   * later.
   */
  async delete(name: string): Promise<void> {
    await this.send({
      method: 'DELETE',
      name,
      expected: [200, 204, 404],
      isTriedOnce: true,
      attemptMilliseconds: CONNECT_MILLISECONDS,
    });
  }

  /** Whether the bucket can be reached with the key. */
  async check(): Promise<void> {
    await this.send({ method: 'HEAD', name: null, expected: [200] });
  }

  async close(): Promise<void> {
    clearTimeout(this.looking ?? undefined);
    await this.pool.destroy();
  }

  private send(request: S3Request): Promise<S3Answer> {
    const sent = (): Promise<S3Answer> => {
      if (this.looking !== null) {
        return Promise.reject(new S3Error(request.method, null, HANGING));
      }
      return this.attempt(request).catch((error: unknown) => {
        const fault = error instanceof S3Error ? error : new S3Error(request.method, null, codeOf(error), error);
        if (fault.isHanging) {
          this.lookLater();
        }
        throw fault;
      });
    };
    return request.isTriedOnce ? sent() : tryingAgain.execute(sent);
  }

  private lookLater(): void {
    clearTimeout(this.looking ?? undefined);
    this.looking = setTimeout(() => void this.look(), LOOK_MILLISECONDS).unref();
  }

  /** Any response counts, even a refusal. */
  private async look(): Promise<void> {
    try {
      await this.attempt({ method: 'HEAD', name: null, expected: [200], attemptMilliseconds: CONNECT_MILLISECONDS });
      this.looking = null;
    } catch (error) {
      if (error instanceof S3Error && error.status !== null) {
        this.looking = null;
      } else {
        this.lookLater();
      }
    }
  }

  private async attempt(request: S3Request): Promise<S3Answer> {
    const { method, expected, attemptMilliseconds } = request;
    const answer = await this.request(request, AbortSignal.timeout(attemptMilliseconds ?? ATTEMPT_MILLISECONDS));
    const isExpected = expected.includes(answer.statusCode);
    const read = await readBody(answer, isExpected ? LARGEST_BODY : LONGEST_FAULT);
    if (!isExpected) {
      throw new S3Error(method, answer.statusCode, codeIn(read));
    }
    return { status: answer.statusCode, body: read };
  }

  private async request(
    { method, name, body, sha256 }: S3Request,
    signal?: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const { endpoint, bucket, prefix, region, accessKeyId, secretAccessKey } = this.settings;
    const url = new URL(name === null ? `/${bucket}` : `/${bucket}/${prefix}${name}`, endpoint);
    const { AwsV4Signer } = await import('aws4fetch');
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      headers: { 'x-amz-content-sha256': sha256 ?? EMPTY },
      service: 's3',
      region,
      accessKeyId,
      secretAccessKey,
    }).sign();
    return this.pool.request({
      method,
      path: signed.url.pathname,
      headers: {
        ...Object.fromEntries(signed.headers),
        ...(isStreamed(body) && { 'content-length': `${body.length}` }),
      },
      body: isStreamed(body) ? body.open() : ((body && Buffer.from(body.buffer, body.byteOffset, body.length)) ?? null),
      signal,
    });
  }
}

function isStreamed(body: S3Request['body']): body is StreamedBody {
  return body !== undefined && 'open' in body;
}

async function readBody({ body }: Dispatcher.ResponseData, limit: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > limit) {
      body.destroy();
      throw new Error(`The answer has more than ${limit} bytes.`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The error code of a response; null if it has none. */
function codeIn(body: Buffer): string | null {
  return /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(body.toString('utf8', 0, LONGEST_FAULT))?.[1] ?? null;
}

function codeOf(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException;
  return TIMEOUTS.has(name) ? HANGING : (code ?? name);
}
