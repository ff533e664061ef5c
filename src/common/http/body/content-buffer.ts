import { FILES_BODY, LARGE_BODY } from './body-rules.decorator';

const FIRST_SIZE = 131_072;

/** Buffers that are kept for the next request, and for how long. */
const MOST_KEPT = 2;
const KEPT_MILLISECONDS = 60_000;

const kept: Buffer[] = [];

/**
 * The contents of files in one body, one after another. Its large buffers are used again: fresh memory of this size costs
 * more time than all else that is done with the contents.
 */
export class ContentBuffer {
  length = 0;
  private buffer: Buffer | null = null;

  add(part: Buffer): void {
    const length = this.length + part.length;
    if (this.buffer === null || length > this.buffer.length) {
      this.grow(length);
    }
    part.copy(this.buffer as Buffer, this.length);
    this.length = length;
  }

  slice(from: number, to: number): Buffer {
    return (this.buffer as Buffer).subarray(from, to);
  }

  /** Nothing that `slice` gave may be used any more. */
  release(): void {
    if (this.buffer?.length === FILES_BODY && kept.length < MOST_KEPT) {
      kept.push(this.buffer);
      setTimeout(() => kept.shift(), KEPT_MILLISECONDS).unref();
    }
    this.buffer = null;
  }

  private grow(length: number): void {
    const former = this.buffer;
    const size = Math.max(FIRST_SIZE, 2 * length);
    this.buffer = size > LARGE_BODY ? (kept.pop() ?? Buffer.allocUnsafeSlow(FILES_BODY)) : Buffer.allocUnsafeSlow(size);
    former?.copy(this.buffer, 0, 0, this.length);
  }
}
