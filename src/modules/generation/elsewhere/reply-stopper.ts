import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { Database } from '../../../database/database';
import { updateRows } from '../../../database/statements/update';
import { RunEnds } from '../acting/run-ends';
import { ReplyPlaces } from '../reply/reply-places';
import { ReplyRegistry } from '../running/reply-registry';
import { InstanceChannels } from './instance-channels';
import { OWNER_LEASE_MILLISECONDS } from './instance-heartbeat';
import { ReplyLocator } from './reply-locator';

/**
 * How long the answer to a stop waits for the end of the reply to be stored, in milliseconds: usually a moment, and long
 * enough for another instance to end the reply of one that has died.
 */
const STOP_WAIT_MILLISECONDS = OWNER_LEASE_MILLISECONDS + 5_000;

/** How long a chat's next message waits for the end of an aborted reply; storing it usually takes a moment. */
const ENDING_MILLISECONDS = 2_000;

/** How long it waits for the news that the last reader has left: the reader's next request may overtake that news. */
const LEAVING_MILLISECONDS = 500;

/** Stops replies, wherever they are written: here, or on another instance, which is asked to. */
@Injectable()
export class ReplyStopper {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly registry: ReplyRegistry,
    private readonly channels: InstanceChannels,
    private readonly locator: ReplyLocator,
    private readonly places: ReplyPlaces,
    private readonly ends: RunEnds,
  ) {}

  /** Has the reply end soon; the text so far is kept. */
  async request(messageId: number): Promise<void> {
    const reply = this.registry.get(messageId);
    if (reply) {
      reply.abort('stopped');
      return;
    }
    const stopRequestedAt = this.clock.now();
    const running = "id = ? AND status = 'streaming'";
    const asked = await this.database.write(async (manager) => {
      let rows = 0;
      for (const { entity } of this.places.all) {
        rows += await updateRows(manager, entity, { stopRequestedAt }, running, [messageId]);
      }
      return rows;
    });
    if (asked > 0) {
      this.channels.askToStop(messageId);
    } else {
      // It may have begun to wait for a person since it was found.
      await this.ends.end(messageId, 'stopped');
    }
  }

  /**
   * As `request`, and waits until the end of the reply is stored.
   *
   * @throws ServiceUnavailableError when that takes longer than a caller can be expected to wait.
   */
  async stop(messageId: number): Promise<void> {
    await this.request(messageId);
    const reply = await this.locator.find(messageId);
    if (reply !== null && !(await reply.endsWithin(STOP_WAIT_MILLISECONDS))) {
      throw new ServiceUnavailableError();
    }
  }

  /**
   * For a reply that keeps a chat busy: whether the chat may be free now. A client that ends a reply by leaving may send
   * again at once, so the end of a reply that was aborted here is waited for. A reply that is not known here may have ended
   * since it was found.
   *
   * @param messageId null when the chat was taken and is free again
   * @param endsUnread whether to stop a reply that nobody reads any more, and one of another instance, whose readers are not
   *   known here
   */
  async givesWay(messageId: number | null, endsUnread: boolean): Promise<boolean> {
    const reply = messageId === null ? undefined : this.registry.get(messageId);
    if (endsUnread && messageId !== null && (reply === undefined || (await reply.isLeftWithin(LEAVING_MILLISECONDS)))) {
      await this.stop(messageId);
    }
    return reply === undefined || (reply.abortReason !== null && (await reply.endsWithin(ENDING_MILLISECONDS)));
  }
}
