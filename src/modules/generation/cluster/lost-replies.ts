import { Injectable, Logger } from '@nestjs/common';
import { Lifecycle } from '../../../common/lifecycle';
import type { LiveReply } from '../reply/live-reply';
import { ELSEWHERE } from '../reply/reply-end';
import { encodeSteps, takeSteps } from '../reply/reply-steps';
import type { RunningReply } from '../reply/running-reply';
import { ReplyLocator } from './reply-locator';

/** Serves the readers of replies that continue on another instance. */
@Injectable()
export class LostReplies {
  private readonly logger = new Logger(LostReplies.name);

  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly locator: ReplyLocator,
  ) {}

  /**
   * Redirects the readers of a reply that this process no longer writes to the instance that continues it. If that is
   * impossible, their connections are closed, so that they reconnect instead of receiving a false end.
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

  /** @returns null when readers already have text that is not part of the reply, or when there is no time left */
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

/** Text that was not stored when another instance took the reply is not part of the reply. */
function isBeginningOf({ steps, text, reasoning }: LiveReply, full: LiveReply): boolean {
  const beginning = full.steps?.slice(0, steps?.length ?? 0) ?? [];
  return (
    encodeSteps(beginning) === encodeSteps(steps ?? []) &&
    full.text.startsWith(text) &&
    full.reasoning.startsWith(reasoning)
  );
}
