import type { Response } from 'express';
import type { ReplyWriter } from './formats/reply-writer';
import type { LiveReply, ReplyListener } from './live-reply';

/** Most text that is turned into bytes at once for a reader who lags behind, in UTF-16 units. */
const LONGEST_PIECE = 16_384;

/** How long a reader may take nothing before the connection is given up; the reply is not, and can be joined again. */
const STALLED_READER_MILLISECONDS = 60_000;

/**
 * Writes a reply to one response. Text is written in the tick in which it arrives; while the reader does not keep up,
 * only the offset is kept, and the text is taken from the shared reply once there is room.
 */
export class ReplyPump implements ReplyListener {
  /** Written in this tick, sent at its end: tokens that arrived in one packet leave in one. */
  private pending = '';
  private isScheduled = false;
  private isBlocked = false;
  private isDone = false;

  /** @param offset how much of the text the reader has already, in UTF-16 units */
  constructor(
    private readonly reply: LiveReply,
    private readonly writer: ReplyWriter,
    private readonly response: Response,
    private offset: number,
  ) {}

  start(): void {
    const { text, end } = this.reply;
    // A reply that has ended has no more text: who claims more, as after a crash, is told where it ends.
    this.offset = this.reply.characterStart(end === null ? this.offset : Math.min(this.offset, text.length));
    this.reply.attach(this);
    this.response.on('drain', () => this.onDrain());
    this.response.on('close', () => this.onClose());
    this.write(this.writer.begin(this.reply, this.offset));
    this.catchUp();
    if (this.pending === '') {
      // The reader learns that the reply is being joined, even while there is nothing new to read.
      this.response.flushHeaders();
    }
  }

  onText(text: string): void {
    if (this.isBlocked) {
      return;
    }
    if (this.offset + text.length === this.reply.text.length) {
      this.offset += text.length;
      this.write(this.writer.text(text, this.offset));
    } else {
      this.catchUp();
    }
  }

  onEnd(): void {
    this.catchUp();
  }

  /** Shows the reader, and all between, that the connection is alive. */
  ping(): void {
    if (!this.isBlocked && !this.isDone && this.pending === '') {
      this.write(this.writer.ping);
    }
  }

  /** Sends what was written in this tick. */
  flush(): void {
    if (this.isScheduled && !this.response.destroyed) {
      this.send();
    }
  }

  private catchUp(): void {
    while (!this.isBlocked && this.offset < this.reply.text.length) {
      const start = this.reply.characterStart(this.offset);
      const piece = this.reply.text.slice(start, this.reply.characterStart(start + LONGEST_PIECE));
      this.offset = start + piece.length;
      this.write(this.writer.text(piece, this.offset));
      if (this.pending.length >= LONGEST_PIECE) {
        this.send();
      }
    }
    if (!this.isBlocked && !this.isDone && this.reply.end !== null) {
      this.isDone = true;
      this.write(this.writer.end(this.reply, this.reply.end));
    }
  }

  private write(text: string): void {
    this.pending += text;
    if (!this.isScheduled && this.pending !== '') {
      this.isScheduled = true;
      process.nextTick(flush, this);
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
      // A socket that times out without a listener is destroyed by the server.
      this.response.setTimeout(STALLED_READER_MILLISECONDS);
    }
  }

  private onDrain(): void {
    this.isBlocked = false;
    this.response.setTimeout(0);
    this.catchUp();
  }

  private onClose(): void {
    this.isDone = true;
    this.pending = '';
    this.reply.detach(this);
  }
}

/** For `process.nextTick`, which takes arguments: no closure for each token. */
function flush(pump: ReplyPump): void {
  pump.flush();
}
