import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceUnavailableError } from '../../common/errors/common.errors';

/** Where the bytes of an upload are written while they arrive. */
export interface SpoolPlace {
  folder: string;
  /** Whether the file keeps its name, to be renamed; otherwise the system frees it even if the process is killed. */
  keepsName: boolean;
}

/** Bytes that arrive as a stream, on the disk of this instance until their hash is known and they can be stored. */
export class SpooledFile {
  private readonly sha256 = createHash('sha256');
  bytes = 0;
  private digest = '';

  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
  ) {}

  /** SHA-256 of the bytes, in lower-case hexadecimal digits. */
  get hash(): string {
    return this.digest;
  }

  /**
   * Writes all parts. Nothing is left of them if it fails.
   *
   * @throws errors of `parts`; ServiceUnavailableError if the disk refuses
   */
  static async receive(parts: AsyncIterable<Uint8Array>, { folder, keepsName }: SpoolPlace): Promise<SpooledFile> {
    const path = join(folder, randomUUID());
    const handle = await onDisk(open(path, 'wx+', 0o600));
    const file = new SpooledFile(path, handle);
    try {
      if (!keepsName) {
        await onDisk(rm(path));
      }
      for await (const part of parts) {
        file.sha256.update(part);
        await file.append(part);
      }
      await onDisk(handle.sync());
      file.digest = file.sha256.digest('hex');
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  private async append(part: Uint8Array): Promise<void> {
    // A write may take only a part of the bytes: when the disk is nearly full, or a limit is near.
    for (let written = 0; written < part.length;) {
      const rest = part.length - written;
      const { bytesWritten } = await onDisk(this.handle.write(part, written, rest, this.bytes));
      if (bytesWritten === 0) {
        throw new ServiceUnavailableError(new Error('A temporary file took no more bytes.'));
      }
      written += bytesWritten;
      this.bytes += bytesWritten;
    }
  }

  /** A part of the bytes. */
  async read(start: number, length: number): Promise<Buffer> {
    const piece = Buffer.allocUnsafe(Math.min(length, this.bytes - start));
    for (let read = 0; read < piece.length;) {
      const { bytesRead } = await onDisk(this.handle.read(piece, read, piece.length - read, start + read));
      if (bytesRead === 0) {
        throw new ServiceUnavailableError(new Error('A temporary file lost bytes.'));
      }
      read += bytesRead;
    }
    return piece;
  }

  /** All bytes in order, in pieces of this size. */
  async *pieces(size: number): AsyncGenerator<Buffer> {
    for (let start = 0; start < this.bytes; start += size) {
      yield await this.read(start, size);
    }
  }

  /** Removes the file, unless it was renamed. */
  async close(): Promise<void> {
    await this.handle.close().catch(() => undefined);
    await rm(this.path, { force: true }).catch(() => undefined);
  }
}

async function onDisk<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw new ServiceUnavailableError(error);
  }
}
