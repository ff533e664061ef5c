import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import { BackgroundLoop } from '../../../common/background/background-loop';
import { Clock } from '../../../common/clock';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { type DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { updateRows } from '../../../database/statements/update';
import { UserDirectoryQuery } from '../../user/user.api';
import { ReplyTables } from '../reply/reply-origin';
import { ReplyRegistry } from '../reply/reply-registry';
import type { RunningReply } from '../reply/running-reply';
import { OWNER_LEASE_MILLISECONDS } from './instance-heartbeat';
import { ReplyLocator } from './reply-locator';
import { InstanceChannels } from './reply-relay';

const STEP_MILLISECONDS = 2_000;

/**
 * Stops replies of this process: on requests that other instances left in the database, and for users who were deleted,
 * banned or suspended. The instance that changes the user stops replies at once. The others poll, and so also find
 * replies that started before they knew of the change.
 */
@Injectable()
export class RequestedStops implements OnApplicationShutdown {
  private readonly logger = new Logger(RequestedStops.name);
  private readonly loop = new BackgroundLoop({
    step: () => this.step(),
    onError: (error) => this.logger.warn({ error }, 'Replies that are to end could not be looked up.'),
    idleMilliseconds: STEP_MILLISECONDS,
  });

  constructor(
    private readonly database: Database,
    private readonly registry: ReplyRegistry,
    private readonly places: ReplyTables,
    private readonly users: UserDirectoryQuery,
    events: DomainEvents,
  ) {
    database.onReady(() => Promise.resolve(this.loop.start()));
    for (const type of ['user.banned', 'user.deleted', 'user.suspended']) {
      events.on(type, (event) => this.stopOnCommit(event));
    }
  }

  /** Replies continue while the process drains, so they can still be stopped. */
  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  private stopOnCommit({ userId }: DomainEvent): Promise<void> {
    this.database.onCommit(() => this.stop(({ task }) => task.userId === userId));
    return Promise.resolve();
  }

  private async step(): Promise<null> {
    if (this.registry.size > 0) {
      const [wanted, withoutAccess] = await Promise.all([
        this.database.isShared ? this.requestedStops() : new Set<number>(),
        this.users.withoutAccess([...this.registry.all()].map(({ task }) => task.userId)),
      ]);
      this.stop(({ messageId, task }) => wanted.has(messageId) || withoutAccess.has(task.userId));
    }
    return null;
  }

  /** Instances without Redis store stop requests in the database. */
  private async requestedStops(): Promise<Set<number>> {
    const ids = [...this.registry.all()].map(({ messageId }) => messageId);
    const wanted = this.places.all.map(({ entity }) =>
      this.database
        .repository(entity)
        .find({ select: { id: true }, where: { id: In(ids), stopRequestedAt: Not(IsNull()) } }),
    );
    return new Set((await Promise.all(wanted)).flat().map(({ id }) => id));
  }

  private stop(isToEnd: (reply: RunningReply) => boolean): void {
    [...this.registry.all()].filter(isToEnd).forEach((reply) => reply.abort('stopped'));
  }
}

/**
 * Milliseconds that a stop request waits until the end of the reply is stored. Usually a moment, and long enough for
 * another instance to end the reply of a dead one.
 */
const STOP_WAIT_MILLISECONDS = OWNER_LEASE_MILLISECONDS + 5_000;

/**
 * Milliseconds that the next message of a conversation waits for the end of an aborted reply. Storing it usually takes
 * a moment.
 */
const ENDING_MILLISECONDS = 2_000;

/**
 * Milliseconds that it waits until the last reader has left. The reader's next request may arrive before its
 * disconnect.
 */
const LEAVING_MILLISECONDS = 500;

/** Stops replies of this instance, or asks another instance to stop them. */
@Injectable()
export class ReplyStopper {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly registry: ReplyRegistry,
    private readonly channels: InstanceChannels,
    private readonly locator: ReplyLocator,
    private readonly places: ReplyTables,
  ) {}

  /** Requests that the reply ends soon. The text so far is stored. */
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
      this.channels.requestStop(messageId);
    } else {
      // The reply may have started to wait for a person since it was found.
      await this.places.driver.stopWaiting(messageId);
    }
  }

  /**
   * Like `request`, and waits until the end of the reply is stored.
   *
   * @throws ServiceUnavailableError when that takes too long for a client.
   */
  async stop(messageId: number): Promise<void> {
    await this.request(messageId);
    const reply = await this.locator.find(messageId);
    if (reply !== null && !(await reply.endsWithin(STOP_WAIT_MILLISECONDS))) {
      throw new ServiceUnavailableError();
    }
  }

  /**
   * Whether the conversation of this reply may be free now. A client that stops a reply by disconnecting may send the
   * next message at once, so this waits for the end of a reply that was aborted here. A reply that is not known here
   * may have ended since it was found.
   *
   * @param messageId null when the conversation was busy and is free again
   * @param endsUnread whether to stop a reply without readers, and one of another instance, whose readers are not known
   *   here
   */
  async waitUntilFree(messageId: number | null, endsUnread: boolean): Promise<boolean> {
    const reply = messageId === null ? undefined : this.registry.get(messageId);
    if (endsUnread && messageId !== null && (reply === undefined || (await reply.isLeftWithin(LEAVING_MILLISECONDS)))) {
      await this.stop(messageId);
    }
    return reply === undefined || (reply.abortReason !== null && (await reply.endsWithin(ENDING_MILLISECONDS)));
  }
}
