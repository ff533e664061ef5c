import { AsyncResource } from 'node:async_hooks';

/** Longest wait between two checks for work. The check also finds work that another instance queued. */
const DEFAULT_IDLE_MILLISECONDS = 5_000;

export interface BackgroundLoopOptions {
  /** Does the due work. Returns the milliseconds until more work is due, or null when no time is known. */
  step: () => Promise<number | null>;
  /** Called for every failed step. The loop continues after the idle time. */
  onError: (error: unknown) => void;
  /** Longest pause between two steps, in milliseconds. */
  idleMilliseconds?: number;
}

/**
 * Runs steps one after another, never two at the same time. A step runs immediately after `wake()`, when work becomes
 * due, or when the idle time is over. An idle loop costs one timer, and it does not keep the process alive.
 */
export class BackgroundLoop {
  /** Steps run in the context of the start, and not in that of a request that wakes the loop. */
  private context: AsyncResource | undefined;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private wokenWhileRunning = false;
  private stopped = true;

  constructor(private readonly options: BackgroundLoopOptions) {}

  start(): void {
    this.stopped = false;
    this.context = new AsyncResource('BackgroundLoop');
    this.wake();
  }

  /** Requests a step now. If a step is running, another one follows it immediately. */
  wake(): void {
    if (this.stopped) {
      return;
    }
    if (this.running) {
      this.wokenWhileRunning = true;
      return;
    }
    clearTimeout(this.timer);
    this.running = this.context?.runInAsyncScope(() => this.run());
  }

  /** Starts no further step. Resolves when the current one has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private mayContinue(pause: number | null): boolean {
    return !this.stopped && (this.wokenWhileRunning || pause === 0);
  }

  /** A step may throw when it is aborted. The next process finds the unfinished work. */
  private reportUnlessStopped(error: unknown): void {
    if (!this.stopped) {
      this.options.onError(error);
    }
  }

  private async run(): Promise<void> {
    const idle = this.options.idleMilliseconds ?? DEFAULT_IDLE_MILLISECONDS;
    let pause: number | null = null;
    do {
      this.wokenWhileRunning = false;
      try {
        pause = await this.options.step();
      } catch (error) {
        pause = null;
        this.reportUnlessStopped(error);
      }
    } while (this.mayContinue(pause));
    this.running = undefined;
    if (!this.stopped) {
      this.timer = setTimeout(() => this.wake(), Math.min(pause ?? idle, idle));
      this.timer.unref();
    }
  }
}
