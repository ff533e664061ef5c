/** A time limit that can stand still, while a person is waited for. It does not keep the process alive; call `end`. */
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

  /** The time of this work does not count. */
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

  /** What the work comes to, unless the time is over first: then this failure, and the work goes on unheeded. */
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
