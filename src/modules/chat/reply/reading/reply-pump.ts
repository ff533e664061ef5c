import type { Response } from 'express';
import { characterStart, type LiveReply, type ReplyListener } from '../live-reply';
import type { ReplyWriter } from './formats/reply-writer';

/** Most text that is turned into bytes at once for a reader who lags behind, in UTF-16 units. */
const LONGEST_PIECE = 16_384;

/** How long a reader may take nothing before the connection is given up; the reply is not, and can be joined again. */
const STALLED_READER_MILLISECONDS = 60_000;

/**
 * Writes a reply to one response. What arrives is written in the same tick; while the reader does not keep up, only the
 * offsets are kept, and the rest is taken from the shared reply once there is room: first what the model thought, then
 * the text.
 */
export class ReplyPump implements ReplyListener {
  /** Written in this tick, sent at its end: tokens that arrived in one packet leave in one. */
  private pending = '';
  private isScheduled = false;
  private isBlocked = false;
  private isDone = false;
  private reasoningOffset = 0;

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
    this.offset = characterStart(text, end === null ? this.offset : Math.min(this.offset, text.length));
    if (this.offset > 0) {
      // Who has some of the text has what was thought before it.
      this.reasoningOffset = this.reply.reasoning.length;
    }
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

  onReasoning(text: string): void {
    if (this.reply.text.length < this.offset) {
      // What is known here lags behind the reader, as of a reply that another instance writes.
      this.reasoningOffset = this.reply.reasoning.length;
      return;
    }
    if (this.isBlocked) {
      return;
    }
    if (this.reasoningOffset + text.length === this.reply.reasoning.length) {
      this.reasoningOffset += text.length;
      this.write(this.writer.reasoning(text, this.offset));
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
    const { text, reasoning } = this.reply;
    while (!this.isBlocked && this.reasoningOffset < reasoning.length) {
      const piece = pieceOf(reasoning, this.reasoningOffset);
      this.reasoningOffset += piece.length;
      this.write(this.writer.reasoning(piece, this.offset));
      this.sendIfLong();
    }
    while (!this.isBlocked && this.offset < text.length) {
      const start = characterStart(text, this.offset);
      const piece = pieceOf(text, start);
      this.offset = start + piece.length;
      this.write(this.writer.text(piece, this.offset));
      this.sendIfLong();
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

  private sendIfLong(): void {
    if (this.pending.length >= LONGEST_PIECE) {
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

/** What is sent at once from `start` on. */
function pieceOf(text: string, start: number): string {
  return text.slice(start, characterStart(text, start + LONGEST_PIECE));
}

/** For `process.nextTick`, which takes arguments: no closure for each token. */
function flush(pump: ReplyPump): void {
  pump.flush();
}
