/** What is counted together, in milliseconds. */
const WINDOW_MILLISECONDS = 50;

/** Bytes of one answer in a window, 1 MB a second: several times what the fastest models send. */
const BYTES_IN_WINDOW = 49_152;

/** Milliseconds of work in a window. Few large events are little work, many small ones are much. */
const WORK_IN_WINDOW = 6;

interface Pausable {
  pause(): void;
  resume(): void;
}

/** Answers of all providers that wait at this moment. */
let waiting = 0;

/**
 * Keeps a provider that floods us from holding the event loop: an answer that is faster than any model is read at a steady
 * pace, and the network holds back the rest. Where several are, they take turns. Ordinary answers are never paused.
 */
export class StreamPace {
  private windowBegan = -Infinity;
  private bytes = 0;
  private work = 0;
  private timer: NodeJS.Timeout | undefined;

  /** A piece of the answer was read, in so many milliseconds. */
  took(bytes: number, milliseconds: number, source: Pausable): void {
    const now = performance.now();
    if (now - this.windowBegan >= WINDOW_MILLISECONDS) {
      this.windowBegan = now;
      this.bytes = this.work = 0;
    }
    this.bytes += bytes;
    this.work += milliseconds;
    if (this.bytes > BYTES_IN_WINDOW && this.work > WORK_IN_WINDOW && this.timer === undefined) {
      waiting++;
      source.pause();
      this.timer = setTimeout(() => this.goOn(source), WINDOW_MILLISECONDS * waiting);
    }
  }

  /** The answer has ended. */
  end(): void {
    if (this.timer !== undefined) {
      clearTimeout(this.timer);
      this.timer = undefined;
      waiting--;
    }
  }

  private goOn(source: Pausable): void {
    this.end();
    this.windowBegan = -Infinity;
    source.resume();
  }
}
