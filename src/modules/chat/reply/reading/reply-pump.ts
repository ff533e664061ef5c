import type { Response } from 'express';
import { characterStart } from '../../../../common/text/surrogate-pairs';
import type { LiveReply, ReplyListener } from '../live-reply';
import type { ReplyWriter } from './formats/reply-writer';

/** How much text a slow reader gets at once, in UTF-16 units. */
const LONGEST_PIECE = 16_384;

/** The connection of a reader that takes nothing for this time is closed. The reply goes on, and can be joined again. */
const STALLED_READER_MILLISECONDS = 60_000;

/**
 * Writes a reply to one response. Text is sent in the tick in which it arrives. For a slow reader the pump keeps only
 * offsets; when the connection has room again, it takes the rest from the shared reply: first the reasoning, then the text.
 */
export class ReplyPump implements ReplyListener {
  /** Collected in this tick and sent at its end: tokens that arrive in one packet leave in one packet. */
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
    // An ended reply gets no more text. After a crash a reader may have more than was stored; it starts at the end.
    this.offset = characterStart(text, end === null ? this.offset : Math.min(this.offset, text.length));
    if (this.offset > 0) {
      // A reader who has some of the text also has the reasoning, which comes before it.
      this.reasoningOffset = this.reply.reasoning.length;
    }
    this.reply.attach(this);
    this.response.on('drain', () => this.onDrain());
    this.response.on('close', () => this.onClose());
    this.write(this.writer.begin(this.reply, this.offset));
    this.catchUp();
    if (this.pending === '') {
      // The reader learns that the join succeeded, even while there is nothing new to read.
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
      // The reader has more text than this instance knows, because another instance writes the reply.
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

  /** Shows the reader and the proxies between that the connection is alive. */
  ping(): void {
    if (!this.isBlocked && !this.isDone && this.pending === '') {
      this.write(this.writer.ping);
    }
  }

  /** Sends what was collected in this tick. */
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
      // Without a listener for the timeout, the server destroys the socket.
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

/** The piece from `start` on that is sent at once. */
function pieceOf(text: string, start: number): string {
  return text.slice(start, characterStart(text, start + LONGEST_PIECE));
}

/** For `process.nextTick`, which takes arguments: no closure for each token. */
function flush(pump: ReplyPump): void {
  pump.flush();
}
