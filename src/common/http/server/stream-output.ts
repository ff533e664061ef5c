import type { Response } from 'express';

/** The connection of a reader that takes nothing for this time is closed. What it read can be joined again. */
const STALLED_READER_MILLISECONDS = 60_000;

/** How much text is collected before it is sent within a tick, in UTF-16 units. */
export const LONGEST_PIECE = 16_384;

/**
 * Writes text to one response. What comes in one tick leaves at its end, in one packet. While the connection is full
 * (`isBlocked`) nothing may be written; `onRoom` is called when it has room again.
 */
export class StreamOutput {
  isBlocked = false;
  isDone = false;
  private pending = '';
  private isScheduled = false;

  constructor(
    private readonly response: Response,
    onRoom: () => void,
    onClose: () => void,
  ) {
    response.on('drain', () => {
      this.isBlocked = false;
      response.setTimeout(0);
      onRoom();
    });
    response.on('close', () => {
      this.isDone = true;
      this.pending = '';
      onClose();
    });
  }

  get isEmpty(): boolean {
    return this.pending === '';
  }

  write(text: string): void {
    this.pending += text;
    if (!this.isScheduled && (this.pending !== '' || this.isDone)) {
      this.isScheduled = true;
      process.nextTick(flush, this);
    }
  }

  /** Writes the last text, and ends the response with it. */
  end(text: string): void {
    this.isDone = true;
    this.write(text);
  }

  /** Breaks the connection: what was sent is not all, and no end is known. */
  cut(): void {
    this.isDone = true;
    this.response.destroy();
  }

  /** Sends at once what is long, so that a slow reader blocks before everything is collected. */
  sendIfLong(): void {
    if (this.pending.length >= LONGEST_PIECE) {
      this.send();
    }
  }

  /** Sends what was collected in this tick. */
  flush(): void {
    if (this.isScheduled && !this.response.destroyed) {
      this.send();
    }
  }

  private send(): void {
    this.isScheduled = false;
    const { pending } = this;
    this.pending = '';
    if (this.isDone) {
      this.response.end(pending);
    } else if (pending !== '' && !this.response.write(pending)) {
      this.isBlocked = true;
      // Without a listener for the timeout, the server destroys the socket.
      this.response.setTimeout(STALLED_READER_MILLISECONDS);
    }
  }
}

/** For `process.nextTick`, which takes arguments: no closure for each token. */
function flush(output: StreamOutput): void {
  output.flush();
}
