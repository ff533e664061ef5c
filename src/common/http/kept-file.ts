import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

const ENCODINGS = ['br', 'gzip', 'identity'] as const;

type Encoding = (typeof ENCODINGS)[number];

interface Representation {
  bytes: Buffer;
  etag: string;
}

/** As small as the best gzip, in a twentieth of the time of the highest quality. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

/** Clients must revalidate each time, because a new release may change the file at the same address. */
const ASK_EACH_TIME = 'no-cache';

/**
 * A file that never changes while the service runs. It is read and compressed at the first request, and then cached.
 * These routes have no rate limit, so a flood could occupy a processor if each request compressed the file.
 */
export class KeptFile {
  private readonly representations = new Map<Encoding, Promise<Representation>>();

  /** @param read returns the content; called once for each encoding */
  constructor(
    private readonly type: string,
    private readonly read: () => string | Buffer,
    private readonly cacheControl = ASK_EACH_TIME,
  ) {}

  /** Sends the file in an encoding that the caller accepts, or 304 if the caller already has it. */
  async send(request: Request, response: Response): Promise<void> {
    const accepted = request.acceptsEncodings();
    const encoding = ENCODINGS.find((one) => accepted.includes(one)) ?? 'identity';
    const { bytes, etag } = await this.representation(encoding);
    response.type(this.type).vary('Accept-Encoding');
    response.setHeader('Cache-Control', this.cacheControl);
    response.setHeader('ETag', etag);
    if (encoding !== 'identity') {
      response.setHeader('Content-Encoding', encoding);
    }
    response.send(bytes);
  }

  private representation(encoding: Encoding): Promise<Representation> {
    let known = this.representations.get(encoding);
    if (!known) {
      known = encode(Buffer.from(this.read()), encoding);
      this.representations.set(encoding, known);
    }
    return known;
  }
}

async function encode(plain: Buffer, encoding: Encoding): Promise<Representation> {
  const bytes = encoding === 'identity' ? plain : await compress(plain, encoding);
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

function compress(plain: Buffer, encoding: Exclude<Encoding, 'identity'>): Promise<Buffer> {
  return encoding === 'br' ? promisify(brotliCompress)(plain, BROTLI) : promisify(gzip)(plain);
}
