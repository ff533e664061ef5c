import { Injectable } from '@nestjs/common';
import { ReplyEndStore } from '../ending/reply-end.store';
import { ReplyPieces } from '../pieces/reply-pieces';
import { LiveReply } from '../reply/live-reply';
import { type FoundReply, ReplyPlaces } from '../reply/reply-places';
import { restore } from '../reply/reply-steps';
import { ReplyRegistry } from '../running/reply-registry';
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
    private readonly places: ReplyPlaces,
    private readonly registry: ReplyRegistry,
    private readonly ends: ReplyEndStore,
    private readonly follower: ReplyFollower,
    private readonly pieces: ReplyPieces,
  ) {}

  /** The reply with this id; null when there is none. The caller has checked that the user may see it. */
  async find(messageId: number): Promise<LiveReply | null> {
    const running = this.registry.get(messageId);
    if (running) {
      return running;
    }
    const found = await this.places.find(messageId);
    return found && (await this.of(found));
  }

  /** The same for a row that was read just now. */
  async of(found: FoundReply): Promise<LiveReply> {
    const { place, row } = found;
    const running = this.registry.get(row.id);
    if (running) {
      return running;
    }
    await this.pieces.complete(place.entity, [row]);
    const end = await this.ends.endOf(place, row);
    if (end === null) {
      return this.follower.follow(found);
    }
    const reply = new LiveReply(row.chatId, row.parentId ?? 0, row.id, row.steps === null ? null : []);
    restore(reply, row);
    reply.finish(end);
    return reply;
  }
}
