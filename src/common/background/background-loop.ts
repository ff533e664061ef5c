/** Longest wait between two looks at the work, so that work which another instance queued is found too. */
const DEFAULT_IDLE_MILLISECONDS = 5_000;

export interface BackgroundLoopOptions {
  /** Does what is due and answers the milliseconds until the next known due time; null when nothing is known. */
  step: () => Promise<number | null>;
  /** Told of every failed step; the loop goes on after the idle time. */
  onError: (error: unknown) => void;
  /** Longest pause between two steps, in milliseconds. */
  idleMilliseconds?: number;
}

/**
 * Runs one step after another, never two at once: at once when woken, otherwise when something falls due or the idle
 * time is over. It costs one timer while idle and keeps no process alive.
 */
export class BackgroundLoop {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private wokenWhileRunning = false;
  private stopped = true;

  constructor(private readonly options: BackgroundLoopOptions) {}

  start(): void {
    this.stopped = false;
    this.wake();
  }

  /** Asks for a step now; while one is running, for another one right after it. */
  wake(): void {
    if (this.stopped) {
      return;
    }
    if (this.running) {
      this.wokenWhileRunning = true;
      return;
    }
    clearTimeout(this.timer);
    this.running = this.run();
  }

  /** Takes no further step; resolves when the present one has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private mayGoOn(pause: number | null): boolean {
    return !this.stopped && (this.wokenWhileRunning || pause === 0);
  }

  /** A step that was asked to end may do so by an exception; what it left is found by the next process. */
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
    } while (this.mayGoOn(pause));
    this.running = undefined;
    if (!this.stopped) {
      this.timer = setTimeout(() => this.wake(), Math.min(pause ?? idle, idle));
      this.timer.unref();
    }
  }
}
