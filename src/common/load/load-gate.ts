import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import { counter } from '../metrics/metrics';

/**
 * Between two looks, in milliseconds. A turn of the event loop that takes longer delays the look. (Node's own
 * `monitorEventLoopDelay` forgets with each reset when its timer was due, and so has no sample when turns are long.)
 */
const LOOK_MILLISECONDS = 20;

/**
 * Fewer requests between two looks are no overload, however late they are answered: then the machine does something else. And a
 * burst is none: so many looks in a row must find it.
 */
const LEAST_ARRIVALS = 48;
const LEAST_LOOKS = 3;

/** Requests that are taken between two looks at the worst. */
const LEAST_ALLOWANCE = 4;

/** How much more is taken, from look to look, when requests are answered in time. */
const GROWTH = 1.1;

/** After so many looks without a refusal the overload is over. */
const CALM_LOOKS = 50;

/**
 * Refuses a part of the requests while there are more than the process can answer. Those that it takes it then answers in
 * time; without it, each would wait for all before it, and be answered when its client has gone.
 *
 * The sign is how late the event loop is, or what `addSign` adds. Between two looks a number of requests is taken, and it
 * follows the sign: the number that would have been in time.
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
  /** Requests since the last look. */
  private arrived = 0;
  /** How many may be taken between two looks; infinity: there is no overload. */
  private allowance = Infinity;
  private lateLooks = 0;
  private calmLooks = 0;

  constructor() {
    this.timer = setInterval(() => this.look(), LOOK_MILLISECONDS).unref();
  }

  get isOverloaded(): boolean {
    return this.allowance !== Infinity;
  }

  /** Adds something else that requests wait for: for how long the first of them does, in milliseconds. */
  addSign(sign: () => number): void {
    this.signs.push(sign);
  }

  /** A request has arrived; whether it may be worked on. */
  takes(): boolean {
    this.arrived++;
    if (this.arrived <= this.allowance) {
      return true;
    }
    this.refused.inc();
    return false;
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const now = performance.now();
    const delay = now - this.lookedAt - LOOK_MILLISECONDS;
    this.judge(Math.max(0, delay, ...this.signs.map((sign) => sign())));
    this.lookedAt = now;
    this.arrived = 0;
  }

  private judge(lateness: number): void {
    const isLate = lateness > this.late;
    if (!this.isOverloaded) {
      this.lateLooks = isLate && this.arrived >= LEAST_ARRIVALS ? this.lateLooks + 1 : 0;
      if (this.lateLooks >= LEAST_LOOKS) {
        this.lateLooks = this.calmLooks = 0;
        this.allowance = this.inTime(this.arrived, lateness);
      }
      return;
    }
    this.calmLooks = isLate || this.arrived > this.allowance ? 0 : this.calmLooks + 1;
    if (this.calmLooks >= CALM_LOOKS) {
      this.allowance = Infinity;
    } else if (isLate) {
      const taken = Math.min(this.arrived, this.allowance);
      this.allowance = (this.allowance + this.inTime(taken, lateness)) / 2;
    } else if (this.arrived > this.allowance) {
      this.allowance = this.allowance * GROWTH + 1;
    }
  }

  /** How many of those that were taken would have been in time. */
  private inTime(taken: number, lateness: number): number {
    return Math.max(LEAST_ALLOWANCE, (taken * this.late) / lateness);
  }
}
