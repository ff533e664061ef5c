import { Injectable, Logger } from '@nestjs/common';
import { Lifecycle } from '../../../common/lifecycle';
import type { LiveReply } from '../reply/live-reply';
import { ELSEWHERE } from '../reply/reply-end';
import { encodeSteps, takeSteps } from '../reply/reply-steps';
import type { RunningReply } from '../reply/running-reply';
import { ReplyLocator } from './reply-locator';

/** Readers here of replies whose runs go on elsewhere. */
@Injectable()
export class LostReplies {
  private readonly logger = new Logger(LostReplies.name);

  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly locator: ReplyLocator,
  ) {}

  /**
   * The readers of a reply that this process writes no more hear how it goes on where it is written now. Where that cannot be,
   * their connections are cut, so that they come back, instead of being told an end that is none.
   */
  async handOver(reply: RunningReply): Promise<void> {
    const present = reply.hasReaders ? await this.find(reply) : null;
    if (present === null) {
      reply.finish(ELSEWHERE);
      return;
    }
    const catchUp = (): void => takeSteps(reply, present.steps ?? []);
    const onEnd = (): void => {
      catchUp();
      if (present.end !== null) {
        reply.finish(present.end);
      }
    };
    present.attach({ onText: catchUp, onReasoning: catchUp, onToolCall: catchUp, onCompaction: catchUp, onEnd });
    onEnd();
  }

  /** @returns null where readers have been told what the reply does not have, or there is no time for more */
  private async find(reply: RunningReply): Promise<LiveReply | null> {
    if (this.lifecycle.isDraining) {
      return null;
    }
    try {
      const present = await this.locator.find(reply.messageId);
      return present !== null && isBeginningOf(reply, present) ? present : null;
    } catch (error) {
      this.logger.warn(
        { message_id: reply.messageId, error },
        'The readers of a reply could not be led to where it goes on.',
      );
      return null;
    }
  }
}

/** Words that were not stored when somebody else took the run are not part of it. */
function isBeginningOf({ steps, text, reasoning }: LiveReply, whole: LiveReply): boolean {
  const beginning = whole.steps?.slice(0, steps?.length ?? 0) ?? [];
  return (
    encodeSteps(beginning) === encodeSteps(steps ?? []) &&
    whole.text.startsWith(text) &&
    whole.reasoning.startsWith(reasoning)
  );
}
