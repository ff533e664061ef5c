import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';

/** The only key that s3rver accepts. */
const KEY = 'S3RVER';
const BUCKET = 'files';

/** Answers a request itself, and returns true; or leaves it to the server. */
export type Interference = (request: IncomingMessage, response: ServerResponse) => boolean;

/** s3rver, an S3 server from npm, in its own folder. It accepts any signature, so the signature is checked first. */
export class S3Server {
  /** For tests of failures. */
  interfere: Interference | null = null;
  /** The requests so far, as `GET /files/chat/abc`. */
  readonly requests: string[] = [];

  private constructor(
    private readonly folder: string,
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(): Promise<S3Server> {
    const folder = await mkdtemp(join(tmpdir(), 's3-'));
    const buckets = [{ name: BUCKET, configs: [] }];
    const s3rver = new S3rver({ directory: folder, silent: true, configureBuckets: buckets });
    await s3rver.configureBuckets();
    const handle = s3rver.callback();
    const server = createServer((request, response) => {
      started.requests.push(`${request.method} ${request.url}`);
      if (started.interfere?.(request, response)) {
        return;
      }
      if (isSigned(request)) {
        handle(request, response);
      } else {
        response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const started = new S3Server(folder, server, (server.address() as AddressInfo).port);
    return started;
  }

  /** The settings of a service that uses it. */
  get environment(): Record<string, string> {
    return {
      BLOB_STORE: 's3',
      S3_ENDPOINT: `http://127.0.0.1:${this.port}`,
      S3_BUCKET: BUCKET,
      S3_PREFIX: 'chat/',
      S3_ACCESS_KEY_ID: KEY,
      S3_SECRET_ACCESS_KEY: KEY,
    };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Whether a request has a valid AWS Signature Version 4, with the only key. */
function isSigned({ method, url = '', headers }: IncomingMessage): boolean {
  const given = /Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)/.exec(headers.authorization ?? '');
  const [, id, scope = '', names = '', signature] = given ?? [];
  const lines = names.split(';').map((name) => `${name}:${String(headers[name])}\n`);
  const hash = String(headers['x-amz-content-sha256']);
  const request = [method, url, '', lines.join(''), names, hash].join('\n');
  const digest = createHash('sha256').update(request).digest('hex');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, digest].join('\n');
  const key = scope.split('/').reduce<string | Buffer>((part, next) => hmac(part, next), `AWS4${KEY}`);
  return id === KEY && hmac(key, text).toString('hex') === signature;
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
