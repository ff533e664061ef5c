import { Injectable } from '@nestjs/common';
import { compactedOutcome } from '../prompt/compaction/reply-compactor';
import type { CutReply, ReplyDriver } from '../reply/reply-driver';
import { abortedOutcome, completedOutcome, type GenerationOutcome, type ReplyEnd } from '../reply/reply-end';
import type { StoredReply } from '../reply/reply-row';
import type { RunningReply } from '../reply/running-reply';
import { ModelCaller } from './model-caller';

/** Writes replies with one model call. Whatever cuts such a reply ends it. */
@Injectable()
export class PlainDriver implements ReplyDriver {
  constructor(private readonly caller: ModelCaller) {}

  run(reply: RunningReply): Promise<GenerationOutcome> {
    return this.caller.outcomeOf(reply, async () => {
      const messages = await this.caller.promptFor(reply);
      return messages === null ? compactedOutcome(reply) : completedOutcome(await this.caller.call(reply, messages));
    });
  }

  holds(): Promise<boolean> {
    return Promise.resolve(true);
  }

  beforeEnd(): Promise<void> {
    return Promise.resolve();
  }

  afterEnd(_reply: RunningReply, end: ReplyEnd): Promise<ReplyEnd> {
    return Promise.resolve(end);
  }

  stopWaiting(): Promise<void> {
    return Promise.resolve();
  }

  resume(): Promise<CutReply> {
    return Promise.resolve({
      outcome: abortedOutcome('interrupted'),
      restore(reply: RunningReply, { tokenUsage }: StoredReply) {
        // Until the reply ends, this column has the usage of its compaction.
        reply.spent = tokenUsage;
      },
    });
  }
}
