import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

/** Attempts of this process under way at once, over all endpoints. */
const MOST_AT_ONCE = 256;

/** The part of them that endpoints which fail or dawdle may hold together, so that the others always have the rest. */
const MOST_OF_SLOW_ONES = MOST_AT_ONCE / 2;

const FIRST_LIMIT = 4;
const HIGHEST_LIMIT = 32;

/** An answer after this many milliseconds is slow. */
const SLOW_MILLISECONDS = 1_000;

interface Pace {
  limit: number;
  underWay: number;
  isSlow: boolean;
}

/**
 * How many attempts each endpoint may have under way. An endpoint earns more with every quick success and loses half
 * with every failure or slow answer: one that comes back after an outage gets its backlog gently, and a dead one ends
 * up with a single attempt at a time.
 */
@Injectable()
export class EndpointPace {
  /** Idle endpoints are forgotten and start anew; those with attempts under way are used and stay. */
  private readonly paces = new LRUCache<number, Pace>({ max: 50_000 });
  private underWay = 0;
  private slowUnderWay = 0;

  /** Attempts that may begin now, over all endpoints. */
  get free(): number {
    return MOST_AT_ONCE - this.underWay;
  }

  /** Endpoints that have as many attempts under way as they may. */
  readonly full = new Set<number>();

  /** Attempts that may begin now at this endpoint, as far as the endpoint itself is concerned. */
  quotaOf(endpointId: number): number {
    const pace = this.paces.get(endpointId);
    if (!pace) {
      return FIRST_LIMIT;
    }
    const own = Math.max(0, pace.limit - pace.underWay);
    return pace.isSlow ? Math.min(own, Math.max(0, MOST_OF_SLOW_ONES - this.slowUnderWay)) : own;
  }

  begin(endpointId: number): void {
    const pace = this.paceOf(endpointId);
    pace.underWay++;
    this.underWay++;
    this.slowUnderWay += pace.isSlow ? 1 : 0;
    this.note(endpointId, pace);
  }

  /** @param isSuccess null when the attempt says nothing about the endpoint */
  end(endpointId: number, isSuccess: boolean | null, durationMilliseconds: number): void {
    const pace = this.paceOf(endpointId);
    this.slowUnderWay -= pace.isSlow ? pace.underWay : 0;
    pace.underWay--;
    this.underWay--;
    if (isSuccess !== null) {
      pace.isSlow = !isSuccess || durationMilliseconds > SLOW_MILLISECONDS;
      pace.limit = pace.isSlow ? Math.max(1, Math.floor(pace.limit / 2)) : Math.min(HIGHEST_LIMIT, pace.limit + 1);
    }
    this.slowUnderWay += pace.isSlow ? pace.underWay : 0;
    this.note(endpointId, pace);
  }

  private paceOf(endpointId: number): Pace {
    const known = this.paces.get(endpointId);
    if (known) {
      return known;
    }
    const pace = { limit: FIRST_LIMIT, underWay: 0, isSlow: false };
    this.paces.set(endpointId, pace);
    return pace;
  }

  private note(endpointId: number, pace: Pace): void {
    if (pace.underWay >= pace.limit) {
      this.full.add(endpointId);
    } else {
      this.full.delete(endpointId);
    }
  }
}
