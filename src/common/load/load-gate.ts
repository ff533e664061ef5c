import type { ServerResponse } from 'node:http';
import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import { counter } from '../metrics/metrics';

/**
 * Between two looks, in milliseconds. A turn of the event loop that takes longer delays the look. (Node's own
 * `monitorEventLoopDelay` forgets with each reset when its timer was due, and so has no sample when turns are long.)
 */
const LOOK_MILLISECONDS = 20;

/**
 * Fewer requests in the time in which they become late are no overload, however late they are answered: then the machine does
 * something else. And a burst is none: so many looks in a row must find it.
 */
const LEAST_ARRIVALS = 48;
const LEAST_LOOKS = 2;

/**
 * A request that takes several turns of the loop may wait for long though no turn is long. So it is an overload too when the loop is
 * later than it is kept at, and most requests that end have taken this many times `late`.
 */
const SLOW_FACTOR = 2;

/** After a look that found it, so much of what was taken before is taken until the next one: else turns grow as requests do. */
const SUSPECTED_SHARE = 0.5;

/** While there is an overload, the loop is kept this much of `late` at most: a request waits for several turns of it. */
const AIMED_SHARE = 0.1;

/** How many requests are worked on at once when an overload begins, and at least. */
const FIRST_LIMIT = 16;
const LEAST_LIMIT = 2;

/** How many more or what share of them it becomes with a look that finds no lateness, some, or much. */
const GROWTH = 1;
const KEPT_SHARE = 0.9;
const LEAST_KEPT_SHARE = 0.7;

/** For so many looks a request counts at most: then it waits for a model or for its client, and takes nothing from others. */
const COUNTED_LOOKS = 5;

/** After so many looks without a refusal the overload is over. */
const CALM_LOOKS = 50;

/**
 * Refuses a part of the requests while there are more than the process can answer. Those that it takes it then answers in
 * time; without it, each would wait for all before it, and be answered when its client has gone.
 *
 * The sign is how late the event loop is, how long requests take while it is a little late, or what `addSign` adds. So many requests are worked on at once that it is not. Each that
 * ends makes room for the next one, so there is always something to do, however long requests take and whatever else the machine
 * does.
 */
@Injectable()
export class LoadGate implements OnApplicationShutdown {
  /** What is late, in milliseconds. Not configuration: tests set it. */
  late = 50;

  private readonly refused = counter(
    'requests_overloaded_total',
    'Requests that were refused because there was too much to do',
  );
  private readonly signs: (() => number)[] = [];
  private readonly timer: NodeJS.Timeout;
  private lookedAt = performance.now();
  /** Requests since the last look, and those of them that were refused. */
  private arrived = 0;
  private refusedNow = 0;
  /** Requests that have ended since the last look, and those of them that were slow. Not counted during an overload. */
  private ended = 0;
  private endedSlow = 0;
  /** How many may be taken until the next look while there is no overload. */
  private allowance = Infinity;
  /** How many may be worked on at once; infinity: there is no overload. */
  private limit = Infinity;
  /** How many are worked on, by the look after which they began, and together. */
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

  /** Adds something else that requests wait for: for how long the first of them does, in milliseconds. */
  addSign(sign: () => number): void {
    this.signs.push(sign);
  }

  /** A request has arrived; whether it may be worked on, until its response emits `close`. */
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
      // Not before the next turn: else requests that need one turn only would all be taken in one.
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

  /** Looks whether an overload begins. */
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

  /** Makes the limit what can be done in time, and finds the end of the overload. */
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
