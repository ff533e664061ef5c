import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { MessageEntity } from '../../chat/conversations/message.entity';
import { ReplyEndStore } from '../ending/reply-end.store';
import { LiveReply } from '../reply/live-reply';
import { restore } from '../reply/reply-steps';
import { ReplyRegistry } from '../reply/running-reply';
import { ReplyFollower } from './reply-follower';

/**
 * Finds a reply wherever it is: running here, running on another instance, or stored.
 *
 * This folder is about several instances. `ReplyFollower` reads a reply of another instance, by Redis (`InstanceChannels`,
 * `ReplyRelay`) and by the database; `ReplyStopper` stops one; `CrashRecovery` ends the replies of dead instances, which it
 * knows by `InstanceHeartbeat`.
 */
@Injectable()
export class ReplyLocator {
  constructor(
    private readonly database: Database,
    private readonly registry: ReplyRegistry,
    private readonly ends: ReplyEndStore,
    private readonly follower: ReplyFollower,
  ) {}

  /** The reply with this id; null when there is none. The caller has checked that the user may see it. */
  async find(messageId: number): Promise<LiveReply | null> {
    const running = this.registry.get(messageId);
    if (running) {
      return running;
    }
    const message = await this.database.repository(MessageEntity).findOneBy({ id: messageId });
    return message && (await this.of(message));
  }

  async of(message: MessageEntity): Promise<LiveReply> {
    const running = this.registry.get(message.id);
    if (running) {
      return running;
    }
    const end = await this.ends.endOf(message);
    if (end === null) {
      return this.follower.follow(message);
    }
    const reply = new LiveReply(message.chatId, message.parentId ?? 0, message.id, message.steps === null ? null : []);
    restore(reply, message);
    reply.finish(end);
    return reply;
  }
}
