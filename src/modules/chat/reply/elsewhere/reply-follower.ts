import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../../../database/database';
import { MessageEntity } from '../../entities/message.entity';
import { FollowedReply } from './followed-reply';
import { LiveReply, ReplyEnd } from '../live-reply';
import { InstanceChannels, type ReplyNews } from './instance-channels';
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
    private readonly channels: InstanceChannels,
  ) {}

  /** @param message its row, with the text flushed so far */
  follow(message: MessageEntity): LiveReply {
    const known = this.followed.get(message.id);
    if (known) {
      return known;
    }
    const reply = new FollowedReply(message.chatId, message.parentId ?? 0, message.id);
    takeStored(reply, message);
    this.followed.set(message.id, reply);
    void this.run(reply);
    return reply;
  }

  private async run(reply: FollowedReply): Promise<void> {
    const subscription = this.channels.listen(reply.messageId, (news) => takeNews(reply, news));
    await subscription.active;
    this.channels.askForNews(reply.messageId, reply.text.length, reply.reasoning.length);
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
      takeStored(reply, message);
      const end = await this.ends.of(message);
      if (end !== null) {
        reply.finish(end);
      }
    } catch (error) {
      this.logger.debug({ message_id: reply.messageId, error }, 'A reply of another instance could not be read.');
    }
  }
}

function takeStored(reply: FollowedReply, { content, reasoning }: MessageEntity): void {
  reply.extendReasoning(0, reasoning ?? '');
  reply.extend(0, content);
}

function takeNews(reply: FollowedReply, news: ReplyNews): void {
  const { offset, text, reasoningOffset = 0, reasoning = '', isAlive = false, hasEnded } = news;
  reply.extendReasoning(reasoningOffset, reasoning);
  reply.extend(offset, text);
  if (isAlive && reply.end === null) {
    reply.showLife();
  }
  if (hasEnded) {
    reply.wake();
  }
}

/** For a reply whose conversation was erased while somebody read it. */
const GONE: ReplyEnd = { status: 'stopped', finishReason: 'cancelled', usage: null, failure: null, title: null };
