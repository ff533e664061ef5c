import type { Response } from 'express';
import { LONGEST_PIECE, StreamOutput } from '../../../common/http/server/stream-output';
import type { GrowingText } from '../../../common/text/growing-text';
import type { LiveReply, ReplyAside, ReplyListener } from '../../generation/generation.api';
import type { ReplyWriter } from './formats/reply-writer';

/**
 * Writes a reply to one response. It sends text in the tick in which the text arrives. For a slow reader it keeps only
 * offsets. When the connection accepts data again, it reads the rest from the shared reply: first the reasoning, then
 * the text.
 */
export class ReplyPump implements ReplyListener {
  private readonly output: StreamOutput;
  private reasoningOffset = 0;
  private nextNews = 0;

  /**
   * @param offset the length of the text that the reader already has, in UTF-16 code units
   * @param news the number of calls and results that the reader has; null: those before the offset
   * @param thought the length of the reasoning that the reader has; null: all before the offset
   */
  constructor(
    private readonly reply: LiveReply,
    private readonly writer: ReplyWriter,
    private readonly response: Response,
    private offset: number,
    private readonly news: number | null = null,
    private readonly thought: number | null = null,
  ) {
    this.output = new StreamOutput(
      response,
      () => this.catchUp(),
      () => reply.detach(this),
    );
  }

  start(): void {
    const { words, thoughts, end } = this.reply;
    // An ended reply gets no more text. After a crash a reader may have more than was stored, and then starts at the
    // end.
    this.offset = words.characterStart(end === null ? this.offset : Math.min(this.offset, words.length));
    const thoughtBefore = this.thought ?? this.reply.toolNews[(this.news ?? 0) - 1]?.thought;
    if (thoughtBefore !== undefined) {
      this.reasoningOffset = thoughts.characterStart(thoughtBefore);
    } else if (this.offset > 0) {
      // Most models reason before they write, so a reader with some of the text has the reasoning.
      this.reasoningOffset = thoughts.length;
    }
    const { toolNews } = this.reply;
    // A reader has all events before its offset, but may lack those at the offset.
    const first = toolNews.findIndex(({ offset }) => offset >= this.offset);
    this.nextNews = this.news ?? (this.offset === 0 ? 0 : first === -1 ? toolNews.length : first);
    this.reply.attach(this);
    this.output.write(this.writer.begin(this.reply, this.offset));
    this.catchUp();
    this.reply.openQuestions.forEach((shown) => this.onAside({ kind: 'question', shown }));
    if (this.output.isEmpty) {
      // The headers show that the join succeeded, even if there is no new text.
      this.response.flushHeaders();
    }
  }

  onText(text: string): void {
    if (this.output.isBlocked) {
      return;
    }
    if (this.offset + text.length === this.reply.words.length && this.nextNews === this.reply.toolNews.length) {
      this.offset += text.length;
      this.output.write(this.writer.text(text, this.offset));
    } else {
      this.catchUp();
    }
  }

  onReasoning(text: string): void {
    if (this.thought === null && this.reply.words.length < this.offset) {
      // The reader has more text than this instance, because another instance writes the reply.
      this.reasoningOffset = this.reply.thoughts.length;
      return;
    }
    if (this.output.isBlocked) {
      return;
    }
    if (this.reasoningOffset + text.length === this.reply.thoughts.length) {
      this.reasoningOffset += text.length;
      this.output.write(this.writer.reasoning(text, this.offset));
    } else {
      this.catchUp();
    }
  }

  onToolCall(): void {
    this.catchUp();
  }

  /** A reader who is behind misses only progress updates. */
  onAside(aside: ReplyAside): void {
    const text = this.output.isDone ? '' : (this.writer.aside?.(aside, this.reply, this.offset) ?? '');
    if (text !== '' && !(this.output.isBlocked && aside.kind === 'progress')) {
      this.output.write(text);
    }
  }

  onEnd(): void {
    this.catchUp();
  }

  /** Keeps the connection alive through proxies. */
  ping(): void {
    if (!this.output.isBlocked && !this.output.isDone && this.output.isEmpty) {
      this.output.write(this.writer.ping);
    }
  }

  private catchUp(): void {
    const { words, thoughts } = this.reply;
    while (!this.output.isBlocked && this.reasoningOffset < thoughts.length) {
      const piece = pieceOf(thoughts, this.reasoningOffset);
      this.reasoningOffset += piece.length;
      this.output.write(this.writer.reasoning(piece, this.offset));
      this.output.sendIfLong();
    }
    this.writeNews();
    while (!this.output.isBlocked && this.offset < words.length) {
      const start = words.characterStart(this.offset);
      const until = this.reply.toolNews[this.nextNews]?.offset ?? words.length;
      const piece = pieceOf(words, start, until);
      this.offset = start + piece.length;
      this.output.write(this.writer.text(piece, this.offset));
      this.output.sendIfLong();
      this.writeNews();
    }
    if (!this.output.isBlocked && !this.output.isDone && this.reply.end !== null) {
      if (this.reply.end.isElsewhere) {
        this.output.cut();
      } else {
        this.output.end(this.writer.end(this.reply, this.reply.end));
      }
    }
  }

  /** Writes the calls, results and citations at the current offset of the text. */
  private writeNews(): void {
    const { toolNews } = this.reply;
    for (let news = toolNews[this.nextNews]; news !== undefined && news.offset <= this.offset;) {
      if (this.output.isBlocked) {
        return;
      }
      const { step } = news;
      const text =
        step.kind === 'citation'
          ? this.writer.citation?.(step.number, this.reply, this.offset)
          : this.writer.tool?.(step, this.reply, this.offset);
      if (text) {
        this.output.write(text);
        this.output.sendIfLong();
      }
      news = toolNews[++this.nextNews];
    }
  }
}

/** The piece from `start` on that is sent in one write. */
function pieceOf(text: GrowingText, start: number, until: number = Infinity): string {
  return text.slice(start, text.characterStart(Math.min(start + LONGEST_PIECE, until)));
}
