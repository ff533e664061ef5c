import type { Response } from 'express';
import { StreamOutput } from '../../../common/http/server/stream-output';
import type { LiveReply } from '../reply/live-reply';
import type { ReplyListener } from '../reply/reply-listener';
import type { StepWriter } from '../reply/reply-steps';

/** Writes a reply to one response step by step. A slow reader takes the steps later, in the same order. */
export class StepPump implements ReplyListener {
  private readonly output: StreamOutput;
  private next = 0;

  constructor(
    private readonly reply: LiveReply,
    private readonly writer: StepWriter,
    private readonly response: Response,
  ) {
    this.output = new StreamOutput(
      response,
      () => this.catchUp(),
      () => reply.detach(this),
    );
  }

  start(): void {
    this.reply.attach(this);
    this.output.write(this.writer.begin(this.reply));
    this.catchUp();
    if (this.output.isEmpty) {
      this.response.flushHeaders();
    }
  }

  onText(): void {
    this.catchUp();
  }

  onReasoning(): void {
    this.catchUp();
  }

  onToolCall(): void {
    this.catchUp();
  }

  onCompaction(): void {
    this.catchUp();
  }

  onEnd(): void {
    this.catchUp();
  }

  /** Shows the reader and the proxies between that the connection is alive. */
  ping(): void {
    if (!this.output.isBlocked && !this.output.isDone && this.output.isEmpty) {
      this.output.write(this.writer.ping);
    }
  }

  private catchUp(): void {
    const { output, reply, writer } = this;
    const steps = reply.steps ?? [];
    for (let step = steps[this.next]; step !== undefined && !output.isBlocked && !output.isDone;) {
      output.write(writer.step(step));
      output.sendIfLong();
      step = steps[++this.next];
    }
    if (!output.isBlocked && !output.isDone && reply.end !== null) {
      if (reply.end.isElsewhere) {
        output.cut();
      } else {
        output.end(writer.end(reply, reply.end));
      }
    }
  }
}
