import { Injectable } from '@nestjs/common';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { ReplyEndStore } from '../ending/reply-end.store';
import { ReplyPieces } from '../pieces/reply-pieces';
import { LiveReply } from '../reply/live-reply';
import { ReplyKnowledge } from '../reply/reply-knowledge';
import { type FoundReply, ReplyTables } from '../reply/reply-origin';
import { ReplyRegistry } from '../reply/reply-registry';
import { restore } from '../reply/reply-steps';
import { InstanceHeartbeat, OWNER_LEASE_MILLISECONDS } from './instance-heartbeat';
import { ReplyFollower } from './reply-follower';

/** Poll interval while waiting for a sign that the instance is alive. */
const LOOK_MILLISECONDS = 250;

/** Long enough for another instance to end the reply of a dead one. */
const WAIT_MILLISECONDS = OWNER_LEASE_MILLISECONDS + 5_000;

/** Distinguishes replies that are being written from those of dead instances, before a client reads them. */
@Injectable()
export class ReplyLife {
  constructor(
    private readonly places: ReplyTables,
    private readonly registry: ReplyRegistry,
    private readonly heartbeat: InstanceHeartbeat,
  ) {}

  /**
   * Waits until the reply has ended or its instance is known to be alive, by new text or its heartbeat.
   *
   * @returns the reply, or the running one if it has started here in between
   * @throws ServiceUnavailableError when neither happens in time
   */
  async await(reply: LiveReply): Promise<LiveReply> {
    const { messageId } = reply;
    if (reply.end !== null || this.registry.get(messageId) === reply) {
      return reply;
    }
    const known = lengthOf(reply);
    const owner = await this.ownerOf(messageId);
    const seenAt = await this.heartbeat.findLastHeartbeat(owner);
    for (const start = performance.now(); performance.now() - start < WAIT_MILLISECONDS;) {
      const running = this.registry.get(messageId);
      if (running !== undefined || (await reply.endsWithin(LOOK_MILLISECONDS)) || lengthOf(reply) > known) {
        return running ?? reply;
      }
      // A reply of this instance that it does not write was stored but never started.
      const isOthers = owner !== this.registry.ownerId;
      if (isOthers && ((await this.heartbeat.findLastHeartbeat(owner)) ?? 0) > (seenAt ?? 0)) {
        return reply;
      }
    }
    throw new ServiceUnavailableError();
  }

  private async ownerOf(messageId: number): Promise<string | null> {
    return (await this.places.stateOf(messageId))?.ownerId ?? null;
  }
}

function lengthOf({ words, thoughts, steps }: LiveReply): number {
  return words.length + thoughts.length + (steps?.length ?? 0);
}

/**
 * Finds a reply wherever it is: running here, running on another instance, or stored.
 *
 * This folder coordinates several instances. `ReplyFollower` reads a reply of another instance through Redis
 * (`InstanceChannels`, `ReplyRelay`) and the database. `ReplyStopper` stops one. `CrashRecovery` ends the replies of
 * dead instances, which it detects by `InstanceHeartbeat`.
 */
@Injectable()
export class ReplyLocator {
  constructor(
    private readonly places: ReplyTables,
    private readonly registry: ReplyRegistry,
    private readonly replyEnds: ReplyEndStore,
    private readonly follower: ReplyFollower,
    private readonly pieces: ReplyPieces,
    private readonly knowledge: ReplyKnowledge,
  ) {}

  /** The reply with this id. Null: there is none. The caller checks that the user may see it. */
  async find(messageId: number): Promise<LiveReply | null> {
    const running = this.registry.get(messageId);
    if (running) {
      return running;
    }
    const found = await this.places.find(messageId);
    return found && (await this.of(found));
  }

  /** The same for a row that was just read. */
  async of(found: FoundReply): Promise<LiveReply> {
    const { place, row } = found;
    const running = this.registry.get(row.id);
    if (running) {
      return running;
    }
    await this.pieces.complete(place.entity, [row]);
    const end = await this.replyEnds.endOf(place, row);
    await this.knowledge.fillRows(() => place.ownerOf(row), [row]);
    if (end === null) {
      return this.follower.follow(found);
    }
    const reply = new LiveReply(row.chatId, row.parentId ?? 0, row.id, row.steps === null ? null : []);
    restore(reply, row);
    reply.finish(end);
    return reply;
  }
}
