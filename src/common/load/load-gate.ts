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

/** After a look that found it, so much of what was taken before is taken until the next one: else turns grow as requests do. */
const SUSPECTED_SHARE = 0.5;

/**
 * While there is an overload, the loop is kept this much of `late` at most. A request waits for several turns, so its answer comes
 * some times later than the loop.
 */
const AIMED_SHARE = 0.2;

/** What is taken at once at most, in milliseconds of the pace and in requests: the rest would wait in the process. */
const BURST_MILLISECONDS = 5;
const LEAST_BURST = 2;

/** Requests a millisecond that are taken at the worst. */
const LEAST_PACE = 0.1;

/** How much faster it becomes, from look to look, when requests are answered in time, and how much slower at most. */
const GROWTH = 1.05;
const LARGEST_FALL = 0.3;

/** How much slower it becomes for each time that the loop is as late as aimed at. */
const FALL = 0.05;

/** Lateness below `late` may come from other programs of the machine, and makes the pace no slower than this share of the best. */
const KEPT_SHARE = 0.5;

/** By how much the best pace is forgotten, from look to look. */
const FORGOTTEN = 0.995;

/** After so many looks without a refusal the overload is over. */
const CALM_LOOKS = 50;

/**
 * Refuses a part of the requests while there are more than the process can answer. Those that it takes it then answers in
 * time; without it, each would wait for all before it, and be answered when its client has gone.
 *
 * The sign is how late the event loop is, or what `addSign` adds. Requests are taken at a pace, spread over time, which follows
 * the sign: when all that a look allows were taken in one turn, that turn would be late, and each turn that they wait for.
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
  /** Requests that were taken between the two looks before. */
  private takenBefore = 0;
  /** How many may be taken until the next look while there is no overload. */
  private allowance = Infinity;
  /** Requests a millisecond that are taken; infinity: there is no overload. */
  private pace = Infinity;
  private bestPace = 0;
  /** Requests that may be taken now, as of `drawnAt`. */
  private drawable = 0;
  private drawnAt = 0;
  private lateLooks = 0;
  private calmLooks = 0;

  constructor() {
    this.timer = setInterval(() => this.look(), LOOK_MILLISECONDS).unref();
  }

  get isOverloaded(): boolean {
    return this.pace !== Infinity;
  }

  /** Adds something else that requests wait for: for how long the first of them does, in milliseconds. */
  addSign(sign: () => number): void {
    this.signs.push(sign);
  }

  /** A request has arrived; whether it may be worked on. */
  takes(): boolean {
    this.arrived++;
    if (this.isOverloaded ? this.draws() : this.arrived <= this.allowance) {
      return true;
    }
    this.refusedNow++;
    this.refused.inc();
    return false;
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private draws(): boolean {
    const now = performance.now();
    const most = Math.max(LEAST_BURST, this.pace * BURST_MILLISECONDS);
    this.drawable = Math.min(most, this.drawable + (now - this.drawnAt) * this.pace);
    this.drawnAt = now;
    if (this.drawable < 1) {
      return false;
    }
    this.drawable--;
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
    this.lookedAt = now;
    this.arrived = this.refusedNow = 0;
  }

  /** Looks whether an overload begins. */
  private watch(lateness: number, passed: number): void {
    const fewest = LEAST_ARRIVALS * Math.min(1, passed / (LOOK_MILLISECONDS + this.late));
    this.lateLooks = lateness > this.late && this.arrived >= fewest ? this.lateLooks + 1 : 0;
    const taken = this.arrived - this.refusedNow;
    if (this.lateLooks >= LEAST_LOOKS) {
      // What came in the time before was answered in this one, so the lesser of both is what can be done.
      this.pace = this.bestPace = Math.max(LEAST_PACE, Math.min(this.takenBefore, taken) / passed);
      this.allowance = Infinity;
      this.drawable = this.lateLooks = this.calmLooks = 0;
      this.drawnAt = performance.now();
    } else {
      this.allowance = this.lateLooks > 0 ? Math.max(LEAST_ARRIVALS / 2, taken * SUSPECTED_SHARE) : Infinity;
    }
    this.takenBefore = taken;
  }

  /** Makes the pace what can be done in time, and finds the end of the overload. */
  private follow(lateness: number): void {
    const isLate = lateness > this.late;
    const aim = this.late * AIMED_SHARE;
    this.calmLooks = isLate || this.refusedNow > 0 ? 0 : this.calmLooks + 1;
    if (this.calmLooks >= CALM_LOOKS) {
      this.pace = Infinity;
    } else if (lateness > aim) {
      const slower = this.pace * (1 - Math.min(LARGEST_FALL, (FALL * lateness) / aim));
      const least = isLate ? LEAST_PACE : Math.min(this.pace, this.bestPace * KEPT_SHARE);
      this.pace = Math.max(least, slower);
      this.bestPace = isLate ? this.pace : this.bestPace;
    } else if (this.refusedNow > 0) {
      this.pace *= GROWTH;
      this.bestPace = Math.max(this.pace, this.bestPace * FORGOTTEN);
    }
  }
}
