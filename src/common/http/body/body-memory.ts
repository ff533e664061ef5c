import { Injectable } from '@nestjs/common';
import { ServiceOverloadedError, TooManyBodiesError } from '../../errors/common.errors';
import { gauge } from '../../metrics/metrics';
import { BodyConfig } from './body.config';
import { FILES_BODY, LARGE_BODY } from './body-rules.decorator';

/** Smaller parts are copied together, because the engine spends a few hundred extra bytes on each buffer. */
const SMALL_PART = 8_192;

/** Small parts are copied into blocks of this size. The first blocks are smaller. */
const BLOCK = 65_536;

/** Bytes that arrive in parts. Most bodies have only one, which is not copied. */
export class ByteList {
  length = 0;
  private readonly blocks: Buffer[] = [];
  /** The current block for small parts, and how much of it is used. */
  private open: Buffer | null = null;
  private used = 0;

  add(part: Buffer): void {
    if (this.length === 0 || part.length >= SMALL_PART) {
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
      this.open ??= Buffer.allocUnsafeSlow(Math.min(Math.max(this.length, SMALL_PART), BLOCK));
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

const FIRST_SIZE = 131_072;

/** How many buffers are kept for later requests, and for how long. */
const MOST_KEPT = 2;
const KEPT_MILLISECONDS = 60_000;

const kept: Buffer[] = [];

/**
 * The contents of files in one body, one after another. Its large buffers are reused, because allocating memory of this
 * size takes longer than all other work on the contents.
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

  /** Invalidates everything that `slice` returned. */
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

/**
 * Bodies up to this size may use all of the memory, larger ones only this share. Large bodies therefore never block
 * small ones.
 */
const SMALL = 65_536;
const SHARE_OF_LARGER = 7 / 8;

/** Bodies larger than `LARGE_BODY` that a user may send at once. */
const LARGE_AT_ONCE = 2;

/**
 * Counts the bytes of all bodies in progress: what has arrived, and what is being parsed and validated. Callers that
 * start many bodies and never finish them cannot exhaust the memory of the process.
 */
@Injectable()
export class BodyMemory {
  private readonly capacity: number;
  private readonly large = new Map<number, number>();
  /** Bytes of all bodies in progress. */
  held = 0;

  constructor({ BODY_MEMORY_MB }: BodyConfig) {
    this.capacity = BODY_MEMORY_MB * 1_048_576;
    gauge('request_bodies_bytes', 'Bytes of request bodies that are under way', () => this.held);
  }

  /** @param userId null for callers without an account, which cannot send large bodies */
  begin(userId: number | null): BodyUnderWay {
    return new BodyUnderWay(this, userId);
  }

  /** @throws ServiceOverloadedError if a body of this size has no room */
  requireMemory(size: number, added: number): void {
    if (this.held + added > this.capacity * (size > SMALL ? SHARE_OF_LARGER : 1)) {
      throw new ServiceOverloadedError();
    }
  }

  /** @throws TooManyBodiesError */
  takePlace(userId: number): void {
    const places = this.large.get(userId) ?? 0;
    if (places >= LARGE_AT_ONCE) {
      throw new TooManyBodiesError(LARGE_AT_ONCE);
    }
    this.large.set(userId, places + 1);
  }

  freePlace(userId: number): void {
    const places = (this.large.get(userId) ?? 0) - 1;
    if (places > 0) {
      this.large.set(userId, places);
    } else {
      this.large.delete(userId);
    }
  }

  hold(bytes: number): void {
    this.held += bytes;
  }
}

/** One body, from its first byte until the request is done with it. */
export class BodyUnderWay {
  private size = 0;
  private hasPlace = false;
  private isOver = false;

  constructor(
    private readonly memory: BodyMemory,
    private readonly userId: number | null,
  ) {}

  /** Call it before the body is read. @param length as announced @throws ServiceOverloadedError, TooManyBodiesError */
  expect(length: number): void {
    this.memory.requireMemory(length, length);
    this.takePlace(length);
  }

  /** Call it for each part that arrives. @throws ServiceOverloadedError, TooManyBodiesError */
  add(bytes: number): void {
    this.memory.requireMemory(this.size + bytes, bytes);
    this.takePlace(this.size + bytes);
    if (!this.isOver) {
      this.size += bytes;
      this.memory.hold(bytes);
    }
  }

  /** Frees its memory; later calls do nothing. */
  end(): void {
    if (!this.isOver) {
      this.isOver = true;
      this.memory.hold(-this.size);
      if (this.hasPlace && this.userId !== null) {
        this.memory.freePlace(this.userId);
      }
    }
  }

  private takePlace(size: number): void {
    if (size > LARGE_BODY && this.userId !== null && !this.hasPlace && !this.isOver) {
      this.memory.takePlace(this.userId);
      this.hasPlace = true;
    }
  }
}
