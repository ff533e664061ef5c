import { Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { failureForAnswer } from './refusals/provider-failure';

/** The compression of a response. Requests ask for none, but some proxies compress whatever they forward. */
export type Compression = 'gzip' | 'deflate' | 'br';

const COMPRESSIONS: ReadonlyMap<string, Compression> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
]);

const GZIP_MAGIC = 0x1f;
const ZLIB_METHOD = 8;

/**
 * Passes on each piece immediately. A missing end is no failure here, because the reader of the text detects missing
 * parts.
 */
const BY_PIECE = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI_BY_PIECE = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };

/** @returns null if it is not compressed @throws ProviderError for an unknown encoding */
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

/** @returns null if the header is wrong, and the bytes are not compressed */
function decompressorFor(compression: Compression, [first = 0]: Buffer): Transform | null {
  switch (compression) {
    case 'gzip':
      return first === GZIP_MAGIC ? createGunzip(BY_PIECE) : null;
    case 'deflate':
      // Some servers omit the header that the standard requires.
      return (first & 0x0f) === ZLIB_METHOD ? createInflate(BY_PIECE) : createInflateRaw(BY_PIECE);
    case 'br':
      return createBrotliDecompress(BROTLI_BY_PIECE);
  }
}

/** @throws ProviderError if the bytes are corrupt, or decompress to more than `most` */
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
  /** @param source to pause if the bytes arrive too fast */
  onBytes(bytes: Buffer, source: Pausable): void;
  onEnd(): void;
  onBroken(error: Error): void;
}

/**
 * Decompresses a response while it arrives. Backpressure bounds the decompressed data in memory, so a small response
 * cannot fill it.
 */
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

  /** Call it after the last bytes. `onEnd` follows after the bytes that are still being decompressed. */
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
