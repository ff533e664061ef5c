/**
 * A time limit that can be paused while the service waits for a person. It does not keep the process alive; call `end`.
 */
export class TimeLimit {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private runningSince = 0;
  private pauses = 0;

  constructor(private milliseconds: number) {
    this.run();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get isOver(): boolean {
    return this.controller.signal.aborted;
  }

  /** The time of this work is not counted. */
  async without<Result>(work: () => Promise<Result>): Promise<Result> {
    if (++this.pauses === 1) {
      clearTimeout(this.timer);
      this.milliseconds -= performance.now() - this.runningSince;
    }
    try {
      return await work();
    } finally {
      if (--this.pauses === 0) this.run();
    }
  }

  /**
   * The result of the work. If the time limit ends first, this rejects with the failure, and the result of the work is
   * ignored.
   */
  of<Result>(work: Promise<Result>, failure: Error): Promise<Result> {
    const over = new Promise<never>((_resolve, reject) => {
      const end = (): void => reject(failure);
      if (this.signal.aborted) end();
      this.signal.addEventListener('abort', end, { once: true });
    });
    return Promise.race([work, over]);
  }

  end(): void {
    clearTimeout(this.timer);
    this.pauses = Infinity;
  }

  private run(): void {
    this.runningSince = performance.now();
    this.timer = setTimeout(
      () => this.controller.abort(new DOMException('The time is over.', 'TimeoutError')),
      Math.max(0, this.milliseconds),
    ).unref();
  }
}
