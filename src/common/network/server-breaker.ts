/** The number of failures within the window after which requests to a server pause. */
const MOST_FAILURES = 5;
const WINDOW_MILLISECONDS = 30_000;

const FIRST_PAUSE_MILLISECONDS = 1_000;
const LONGEST_PAUSE_MILLISECONDS = 60_000;

/**
 * A circuit breaker: pauses requests to a failing server for a second, and twice as long after each further failure.
 */
export class ServerBreaker {
  private failures: number[] = [];
  private pause = 0;
  private openUntil = 0;

  /** @param now returns the time in milliseconds */
  constructor(private readonly now: () => number) {}

  /** Whether requests pause. */
  get isOpen(): boolean {
    return this.pause > 0;
  }

  /** Whether a request may be sent. After a pause, one request tests the server for all. */
  mayAsk(): boolean {
    if (this.pause === 0) {
      return true;
    }
    if (this.now() < this.openUntil) {
      return false;
    }
    this.openUntil = this.now() + this.pause;
    return true;
  }

  succeeded(): void {
    this.failures = [];
    this.pause = 0;
  }

  failed(): void {
    const now = this.now();
    this.failures = [...this.failures.filter((at) => at > now - WINDOW_MILLISECONDS), now];
    if (this.pause > 0) {
      this.open(Math.min(2 * this.pause, LONGEST_PAUSE_MILLISECONDS));
    } else if (this.failures.length >= MOST_FAILURES) {
      this.open(FIRST_PAUSE_MILLISECONDS);
    }
  }

  private open(pause: number): void {
    this.pause = pause;
    this.openUntil = this.now() + pause;
  }
}
