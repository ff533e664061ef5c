import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import { BackgroundLoop } from '../../../common/background/background-loop';
import { type DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { UserDirectoryQuery } from '../../user/user.api';
import { ReplyPlaces } from '../reply/reply-places';
import type { RunningReply } from '../reply/running-reply';
import { ReplyRegistry } from '../running/reply-registry';

const STEP_MILLISECONDS = 2_000;

/**
 * Stops replies of this process for others: for instances that left the request in the database, and for accounts that were
 * closed, banned or suspended. The instance where that was done knows at once, the others look, and so find also a reply that began
 * while they did not know yet.
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
    private readonly places: ReplyPlaces,
    private readonly users: UserDirectoryQuery,
    events: DomainEvents,
  ) {
    database.onReady(() => Promise.resolve(this.loop.start()));
    for (const type of ['user.banned', 'user.deleted', 'user.suspended']) {
      events.on(type, (event) => this.stopOnCommit(event));
    }
  }

  /** Replies run on while the process drains, so it can still be asked to stop them. */
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
        this.database.isShared ? this.wantedElsewhere() : new Set<number>(),
        this.users.withoutAccess([...this.registry.all()].map(({ task }) => task.userId)),
      ]);
      this.stop(({ messageId, task }) => wanted.has(messageId) || withoutAccess.has(task.userId));
    }
    return null;
  }

  /** Instances without Redis leave the request to stop a reply in the database. */
  private async wantedElsewhere(): Promise<Set<number>> {
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
