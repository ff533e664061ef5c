/** Calls back whenever nothing was heard for a time, again and again, until it is stopped. */
export class SilenceTimer {
  private readonly timer: NodeJS.Timeout;

  constructor(milliseconds: number, onSilence: () => void) {
    this.timer = setInterval(onSilence, milliseconds).unref();
  }

  /** Something was sent or received, so the time starts again. */
  restart(): void {
    this.timer.refresh();
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
