import { Injectable } from '@nestjs/common';
import { LostReplies } from '../cluster/lost-replies';
import { ReplyFinisher } from '../ending/reply-finisher';
import { ReplyRegistry } from '../reply/reply-registry';
import { ReplyContinuesError, ReplyLostError } from '../reply/reply-rounds';
import { ReplySpans } from '../reply/reply-spans';
import type { RunningReply } from '../reply/running-reply';
import { ReplyFlusher } from './reply-flusher';

/**
 * Writes replies: runs their driver and stores the end, with or without readers.
 *
 * This folder handles replies while this process writes them: `ModelCaller` calls the model and passes its text on,
 * `ReplyFlusher` saves the text as it grows, `ReplyDrain` gives replies time at a shutdown. `ending/` stores how they end.
 */
@Injectable()
export class ReplyRunner {
  constructor(
    private readonly registry: ReplyRegistry,
    private readonly flusher: ReplyFlusher,
    private readonly finisher: ReplyFinisher,
    private readonly lost: LostReplies,
    private readonly spans: ReplySpans,
  ) {}

  /** Starts a reply whose rows are stored, and returns at once. */
  start(reply: RunningReply): void {
    this.flusher.watch();
    void this.spans.within(reply, () => this.run(reply));
  }

  private async run(reply: RunningReply): Promise<void> {
    try {
      const outcome = await reply.driver.write(reply);
      reply.showEnding();
      const end = await reply.driver.afterEnd(reply, await this.finisher.finishWithRetries(reply, outcome));
      this.spans.end(reply, end);
      if (end.status !== 'requires_action') {
        // Before the reply counts as ended, so that a shutdown also waits for follow-up work such as a title.
        reply.origin.afterEnd(reply, end);
      }
      this.registry.remove(reply);
      reply.finish(end);
    } catch (error) {
      if (error instanceof ReplyContinuesError) {
        reply.isResumed = true;
        reply.showContinuation();
        await this.run(reply);
      } else if (error instanceof ReplyLostError) {
        this.spans.abandon(reply, error);
        this.leave(reply);
      } else {
        throw error;
      }
    }
  }

  /** Another instance continues the reply, or will. This one stores no more of it. */
  private leave(reply: RunningReply): void {
    this.registry.remove(reply);
    void this.lost.handOver(reply);
  }
}
