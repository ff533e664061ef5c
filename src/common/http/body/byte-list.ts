/** Smaller parts are copied together: of each buffer that is kept, the engine keeps a few hundred bytes more. */
const SMALL = 8_192;

/** Small parts are copied into blocks of this size, or smaller ones at the beginning. */
const BLOCK = 65_536;

/** Bytes that arrive in parts. Most bodies have only one, which is not copied. */
export class ByteList {
  length = 0;
  private readonly blocks: Buffer[] = [];
  /** The block into which small parts are copied, and how much of it is used. */
  private open: Buffer | null = null;
  private used = 0;

  add(part: Buffer): void {
    if (this.length === 0 || part.length >= SMALL) {
      this.closeBlock();
      this.blocks.push(part);
    } else {
      this.copy(part);
    }
    this.length += part.length;
  }

  /** All bytes in one buffer. */
  join(): Buffer {
    this.closeBlock();
    const [first] = this.blocks;
    return first !== undefined && this.blocks.length === 1 ? first : Buffer.concat(this.blocks, this.length);
  }

  private copy(part: Buffer): void {
    for (let rest = part; rest.length > 0;) {
      this.open ??= Buffer.allocUnsafeSlow(Math.min(Math.max(this.length, SMALL), BLOCK));
      const copied = rest.copy(this.open, this.used);
      this.used += copied;
      rest = rest.subarray(copied);
      if (this.used === this.open.length) {
        this.closeBlock();
      }
    }
  }

  private closeBlock(): void {
    if (this.open !== null) {
      this.blocks.push(this.open.subarray(0, this.used));
      this.open = null;
      this.used = 0;
    }
  }
}
