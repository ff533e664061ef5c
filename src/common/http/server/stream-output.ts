import type { Response } from 'express';

/** The connection of a reader that reads nothing for this time is closed. The reader can rejoin the stream. */
const STALLED_READER_MILLISECONDS = 60_000;

/** How much text is collected before it is sent within a tick, in UTF-16 units. */
export const LONGEST_PIECE = 16_384;

/**
 * Writes text to one response. All text of one tick is sent at its end, in one packet. While the connection is full
 * (`isBlocked`), callers must not write; `onRoom` is called when it has room again.
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

  /** Breaks the connection, so that the client does not take the stream for complete. */
  cut(): void {
    this.isDone = true;
    this.response.destroy();
  }

  /** Sends long text immediately, so that a slow reader blocks before everything is collected. */
  sendIfLong(): void {
    if (this.pending.length >= LONGEST_PIECE) {
      this.send();
    }
  }

  /** Sends the text that was collected in this tick. */
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

/** For `process.nextTick`, which passes arguments on, so that no token needs a closure. */
function flush(output: StreamOutput): void {
  output.flush();
}
