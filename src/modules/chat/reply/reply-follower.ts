import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../../database/database';
import { MessageEntity } from '../entities/message.entity';
import { FollowedReply } from './followed-reply';
import { LiveReply, ReplyEnd } from './live-reply';
import { ReplyChannels } from './reply-channels';
import { ReplyEnds } from './reply-ends';

/** Pause between two looks at the database: all there is without a Redis, and what mends gaps with one. Milliseconds. */
const POLL_MILLISECONDS = 500;

/** Follows replies that another instance writes; readers here share one view of each. */
@Injectable()
export class ReplyFollower {
  private readonly logger = new Logger(ReplyFollower.name);
  private readonly followed = new Map<number, FollowedReply>();

  constructor(
    private readonly database: Database,
    private readonly ends: ReplyEnds,
    private readonly channels: ReplyChannels,
  ) {}

  /** @param message its row, with the text flushed so far */
  follow(message: MessageEntity): LiveReply {
    const known = this.followed.get(message.id);
    if (known) {
      return known;
    }
    const reply = new FollowedReply(message.chatId, message.parentId ?? 0, message.id);
    reply.extend(0, message.content);
    this.followed.set(message.id, reply);
    void this.run(reply);
    return reply;
  }

  private async run(reply: FollowedReply): Promise<void> {
    const subscription = this.channels.listen(reply.messageId, ({ offset, text, hasEnded }) => {
      reply.extend(offset, text);
      if (hasEnded) {
        reply.wake();
      }
    });
    await subscription.active;
    this.channels.askForText(reply.messageId, reply.text.length);
    do {
      await reply.pause(POLL_MILLISECONDS);
      await this.look(reply);
    } while (reply.end === null && (reply.hasReaders || reply.hasListeners));
    this.followed.delete(reply.messageId);
    subscription.close();
  }

  private async look(reply: FollowedReply): Promise<void> {
    try {
      const message = await this.database.repository(MessageEntity).findOneBy({ id: reply.messageId });
      if (message === null) {
        reply.finish(GONE);
        return;
      }
      reply.extend(0, message.content);
      const end = await this.ends.of(message);
      if (end !== null) {
        reply.finish(end);
      }
    } catch (error) {
      this.logger.debug({ message_id: reply.messageId, error }, 'A reply of another instance could not be read.');
    }
  }
}

/** For a reply whose conversation was erased while somebody read it. */
const GONE: ReplyEnd = { status: 'stopped', finishReason: 'cancelled', usage: null, failure: null, title: null };
