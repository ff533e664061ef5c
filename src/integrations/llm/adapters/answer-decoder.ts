import { Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { failureForAnswer } from './refusals/provider-failure';

/** How an answer is compressed. Requests ask for none of it, but some proxies compress whatever they pass on. */
export type Compression = 'gzip' | 'deflate' | 'br';

const COMPRESSIONS: ReadonlyMap<string, Compression> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
]);

const GZIP_MAGIC = 0x1f;
const ZLIB_METHOD = 8;

/** Passes on each piece at once. A missing end is no failure here, because the reader of the text notices what is missing. */
const BY_PIECE = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI_BY_PIECE = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };

/** @returns null: it is not compressed @throws ProviderError for an unknown encoding */
export function compressionOf(header: string | string[] | undefined): Compression | null {
  if (header === undefined) {
    return null;
  }
  const encoding = String(header).toLowerCase();
  const [name, ...others] = encoding
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== 'identity' && part !== '');
  const compression = COMPRESSIONS.get(name ?? '');
  if (name !== undefined && (compression === undefined || others.length > 0)) {
    throw failureForAnswer(
      `The answer has the content encoding ${encoding.slice(0, 100)}, which this service does not know.`,
    );
  }
  return compression ?? null;
}

/** @returns null: the label is wrong, and the bytes are not compressed */
function decompressorFor(compression: Compression, [first = 0]: Buffer): Transform | null {
  switch (compression) {
    case 'gzip':
      return first === GZIP_MAGIC ? createGunzip(BY_PIECE) : null;
    case 'deflate':
      // Some servers leave out the head that the standard wants.
      return (first & 0x0f) === ZLIB_METHOD ? createInflate(BY_PIECE) : createInflateRaw(BY_PIECE);
    case 'br':
      return createBrotliDecompress(BROTLI_BY_PIECE);
  }
}

/** @throws ProviderError if the bytes are broken, or longer than `most` when unpacked */
export async function decompress(bytes: Buffer, compression: Compression | null, most: number): Promise<Buffer> {
  const decompressor = compression === null ? null : decompressorFor(compression, bytes);
  if (decompressor === null) {
    return bytes;
  }
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of Readable.from([bytes]).pipe(decompressor) as AsyncIterable<Buffer>) {
      parts.push(part);
      length += part.length;
      if (length > most) {
        break;
      }
    }
  } catch (error) {
    throw brokenBytes(error as Error);
  }
  if (length > most) {
    throw failureForAnswer(`The answer is larger than ${most} bytes when it is unpacked.`);
  }
  return Buffer.concat(parts);
}

function brokenBytes({ message }: Error): Error {
  return failureForAnswer(`The answer cannot be unpacked: ${message}`, true);
}

export interface Pausable {
  pause(): void;
  resume(): void;
}

interface Receiver {
  /** @param source what to pause when the bytes come too fast */
  onBytes(bytes: Buffer, source: Pausable): void;
  onEnd(): void;
  onBroken(error: Error): void;
}

/** Unpacks an answer while it arrives. Backpressure bounds what waits unpacked, so a small answer cannot fill the memory. */
export class AnswerDecoder {
  private decompressor: Transform | null = null;
  private hasBegun = false;

  constructor(
    private readonly compression: Compression,
    private readonly receiver: Receiver,
  ) {}

  write(bytes: Buffer, source: Pausable): void {
    if (!this.hasBegun) {
      this.hasBegun = true;
      this.begin(bytes, source);
    }
    if (this.decompressor === null) {
      this.receiver.onBytes(bytes, source);
    } else if (!this.decompressor.write(bytes)) {
      source.pause();
    }
  }

  /** No more bytes come. `onEnd` follows, after the bytes that are still being unpacked. */
  end(): void {
    if (this.decompressor === null) {
      this.receiver.onEnd();
    } else {
      this.decompressor.end();
    }
  }

  destroy(): void {
    this.decompressor?.destroy();
  }

  private begin(bytes: Buffer, source: Pausable): void {
    const decompressor = decompressorFor(this.compression, bytes);
    this.decompressor = decompressor;
    decompressor
      ?.on('data', (part: Buffer) => this.receiver.onBytes(part, decompressor))
      .on('drain', () => source.resume())
      .on('end', () => this.receiver.onEnd())
      .on('error', (error: Error) => this.receiver.onBroken(brokenBytes(error)));
  }
}
