import { Injectable } from '@nestjs/common';
import { ServiceOverloadedError, TooManyBodiesError } from '../../errors/common.errors';
import { gauge } from '../../metrics/metrics';
import { BodyConfig } from './body.config';
import { LARGE_BODY } from './body-rules.decorator';

/** Bodies up to this size may use all of the memory, larger ones only this share of it. So they never shut out small ones. */
const SMALL = 65_536;
const SHARE_OF_LARGER = 7 / 8;

/** Bodies larger than `LARGE_BODY` that a user may send at once. */
const LARGE_AT_ONCE = 2;

/**
 * Counts the bytes of all bodies under way: what has arrived, and what is being parsed and checked. So callers who begin many
 * bodies and never end them cannot take the memory of the process.
 */
@Injectable()
export class BodyMemory {
  private readonly capacity: number;
  private readonly large = new Map<number, number>();
  /** Bytes of all bodies under way. */
  held = 0;

  constructor({ BODY_MEMORY_MB }: BodyConfig) {
    this.capacity = BODY_MEMORY_MB * 1_048_576;
    gauge('request_bodies_bytes', 'Bytes of request bodies that are under way', () => this.held);
  }

  /** @param userId null for callers without an account, who have no large bodies */
  begin(userId: number | null): BodyUnderWay {
    return new BodyUnderWay(this, userId);
  }

  /** @throws ServiceOverloadedError when a body of this size has no room */
  requireRoom(size: number, added: number): void {
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

/** One body, from its first byte until it is handed over. */
export class BodyUnderWay {
  private size = 0;
  private hasPlace = false;
  private isOver = false;

  constructor(
    private readonly memory: BodyMemory,
    private readonly userId: number | null,
  ) {}

  /** Before the body is read. @param length as it is announced @throws ServiceOverloadedError, TooManyBodiesError */
  expect(length: number): void {
    this.memory.requireRoom(length, length);
    this.takePlace(length);
  }

  /** Some of it has arrived. @throws ServiceOverloadedError, TooManyBodiesError */
  add(bytes: number): void {
    this.memory.requireRoom(this.size + bytes, bytes);
    this.takePlace(this.size + bytes);
    if (!this.isOver) {
      this.size += bytes;
      this.memory.hold(bytes);
    }
  }

  /** Frees what it holds; later calls do nothing. */
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
