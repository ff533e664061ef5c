import type { ServerResponse } from 'node:http';
import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import { counter } from '../metrics/metrics';

/**
 * Between two checks, in milliseconds. A turn of the event loop that takes longer delays the check. (Node's own
 * `monitorEventLoopDelay` loses the due time of its timer with each reset, and so has no sample when turns are long.)
 */
const LOOK_MILLISECONDS = 20;

/**
 * Fewer requests in the time in which they become late are no overload, however late their responses are: the machine
 * is then busy with other work. Nor is a burst: this many checks in a row must find an overload.
 */
const LEAST_ARRIVALS = 48;
const LEAST_LOOKS = 2;

/**
 * A request that takes several turns of the loop may wait for long although no turn is long. It is also an overload if
 * the loop is later than its target, and most finished requests took this many times `late`.
 */
const SLOW_FACTOR = 2;

/**
 * After a check that found an overload, this share of the former requests is accepted until the next check. Otherwise
 * turns would grow with the requests.
 */
const SUSPECTED_SHARE = 0.5;

/**
 * During an overload, the target for the loop's lateness is this share of `late`, because a request waits for several
 * turns.
 */
const AIMED_SHARE = 0.1;

/** Most concurrent requests when an overload begins, and the lowest limit. */
const FIRST_LIMIT = 16;
const LEAST_LIMIT = 2;

/**
 * The limit grows by `GROWTH` with a check that finds no lateness. With some or much lateness it shrinks to a share.
 */
const GROWTH = 1;
const KEPT_SHARE = 0.9;
const LEAST_KEPT_SHARE = 0.7;

/**
 * A request counts for at most this many checks. After that it waits for a model or for its client, and takes no
 * capacity.
 */
const COUNTED_LOOKS = 5;

/** After this many checks without a refusal, the overload has ended. */
const CALM_LOOKS = 50;

/**
 * Refuses a part of the requests while there are more than the process can answer. It then answers the accepted
 * requests in time. Without this, each request would wait for all earlier ones, and be answered when its client has
 * gone.
 *
 * The signs of an overload are a late event loop, slow requests while the loop is a little late, or the signs of
 * `addSign`. The limit of concurrent requests is then set so that the loop is not late. Each finished request makes
 * room for the next one, so the process always has work, however long requests take and however busy the machine is.
 */
@Injectable()
export class LoadGate implements OnApplicationShutdown {
  /** The lateness of an overload, in milliseconds. Tests set it; it is not a setting. */
  late = 50;

  private readonly refused = counter(
    'requests_overloaded_total',
    'Requests that were refused because there was too much to do',
  );
  private readonly signs: (() => number)[] = [];
  private readonly timer: NodeJS.Timeout;
  private lookedAt = performance.now();
  /** The longest delay of the event loop since it was last read, in milliseconds. */
  private longestDelay = 0;
  /** Requests since the last check, and how many of them were refused. */
  private arrived = 0;
  private refusedNow = 0;
  /** Requests that have ended since the last check, and how many of them were slow. Not counted during an overload. */
  private ended = 0;
  private endedSlow = 0;
  /** How many requests may be accepted until the next check while there is no overload. */
  private allowance = Infinity;
  /** Most concurrent requests; infinity: there is no overload. */
  private limit = Infinity;
  /** Concurrent requests by the check after which they began, and their total. */
  private readonly begun = Array.from({ length: COUNTED_LOOKS }, () => 0);
  private working = 0;
  private looks = 0;
  private lateLooks = 0;
  private calmLooks = 0;

  constructor() {
    this.timer = setInterval(() => this.look(), LOOK_MILLISECONDS).unref();
  }

  get isOverloaded(): boolean {
    return this.limit !== Infinity;
  }

  /** Adds another queue of requests as a sign. It returns how long the first request has waited, in milliseconds. */
  addSign(sign: () => number): void {
    this.signs.push(sign);
  }

  /** Returns whether a new request is accepted. It counts until its response emits `close`. */
  takes(response: Pick<ServerResponse, 'once'>): boolean {
    this.arrived++;
    if (this.isOverloaded) {
      if (this.begins(response)) {
        return true;
      }
    } else if (this.arrived <= this.allowance) {
      this.time(response);
      return true;
    }
    this.refusedNow++;
    this.refused.inc();
    return false;
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** The longest delay of the event loop since the last call, in milliseconds. Only one reader may call it. */
  takeLongestDelay(): number {
    const delay = this.longestDelay;
    this.longestDelay = 0;
    return delay;
  }

  private time(response: Pick<ServerResponse, 'once'>): void {
    const began = performance.now();
    response.once('close', () => {
      this.ended++;
      this.endedSlow += performance.now() - began > this.late * SLOW_FACTOR ? 1 : 0;
    });
  }

  private begins(response: Pick<ServerResponse, 'once'>): boolean {
    if (this.working >= this.limit) {
      return false;
    }
    const look = this.looks;
    const slot = look % COUNTED_LOOKS;
    this.begun[slot]!++;
    this.working++;
    response.once('close', () =>
      // In the next turn at the earliest. Otherwise all requests that need only one turn would be accepted in the same
      // turn.
      setImmediate(() => {
        if (this.looks - look < COUNTED_LOOKS) {
          this.begun[slot]!--;
          this.working--;
        }
      }),
    );
    return true;
  }

  private look(): void {
    const now = performance.now();
    const passed = now - this.lookedAt;
    this.longestDelay = Math.max(this.longestDelay, passed - LOOK_MILLISECONDS);
    const lateness = Math.max(0, passed - LOOK_MILLISECONDS, ...this.signs.map((sign) => sign()));
    if (this.isOverloaded) {
      this.follow(lateness);
    } else {
      this.watch(lateness, passed);
    }
    this.looks++;
    this.working -= this.begun[this.looks % COUNTED_LOOKS]!;
    this.begun[this.looks % COUNTED_LOOKS] = 0;
    this.lookedAt = now;
    this.arrived = this.refusedNow = this.ended = this.endedSlow = 0;
  }

  /** Checks whether an overload begins. */
  private watch(lateness: number, passed: number): void {
    const fewest = LEAST_ARRIVALS * Math.min(1, passed / (LOOK_MILLISECONDS + this.late));
    const isSlow = lateness > this.late * AIMED_SHARE && this.endedSlow > this.ended / 2;
    this.lateLooks = (lateness > this.late || isSlow) && this.arrived >= fewest ? this.lateLooks + 1 : 0;
    const taken = this.arrived - this.refusedNow;
    if (this.lateLooks >= LEAST_LOOKS) {
      this.limit = FIRST_LIMIT;
      this.allowance = Infinity;
      this.lateLooks = this.calmLooks = 0;
    } else {
      this.allowance = this.lateLooks > 0 ? Math.max(LEAST_ARRIVALS / 2, taken * SUSPECTED_SHARE) : Infinity;
    }
  }

  /** Adapts the limit to what can be done in time, and detects the end of the overload. */
  private follow(lateness: number): void {
    const isLate = lateness > this.late;
    this.calmLooks = isLate || this.refusedNow > 0 ? 0 : this.calmLooks + 1;
    if (this.calmLooks >= CALM_LOOKS) {
      this.limit = Infinity;
    } else if (lateness > this.late * AIMED_SHARE) {
      this.limit = Math.max(LEAST_LIMIT, this.limit * (isLate ? LEAST_KEPT_SHARE : KEPT_SHARE));
    } else if (this.refusedNow > 0) {
      this.limit += GROWTH;
    }
  }
}
