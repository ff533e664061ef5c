import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { type DomainEvent, DomainEvents, type EventHearers } from '../../../common/events/domain-events';
import { eventIdOf } from '../../../common/events/event-id';
import { Database } from '../../../database/database';
import { insertBatch, insertRow } from '../../../database/statements/insert';
import { FeedEventEntity } from './feed-event.entity';
import { FeedFollowers } from './feed-followers';
import { FeedNumberer } from './feed-numberer';

/** The type of a row that only has a number. */
const MARK = 'feed.mark';

/**
 * Stores the events of users who follow them, in the transaction of the change: an event is in the feed if and only if the
 * change is made. `FeedNumberer` gives them their places after the commit.
 */
@Injectable()
export class FeedOutbox {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly followers: FeedFollowers,
    private readonly numberer: FeedNumberer,
    events: DomainEvents,
  ) {
    events.onMany('*', (all, manager) => this.record(manager, all));
  }

  /** Marks the present in the feed: what is committed by now has a smaller number than the mark. */
  async mark(): Promise<number> {
    const row = { ...this.common(), userId: null, publicId: 'mark', type: MARK, data: {} };
    const id = await this.database.write((manager) => insertRow(manager, FeedEventEntity, row));
    return this.numberer.numberOf(id);
  }

  private async record(manager: EntityManager, events: DomainEvent[]): Promise<void> {
    const published = events.filter(
      ({ isInternal, userId, hearers }) => !isInternal && (userId !== null || hearers !== undefined),
    );
    if (published.length === 0) {
      return;
    }
    const owners = published.flatMap(({ userId }) => userId ?? []);
    const followed = await this.followers.among(manager, owners);
    const rows = published
      .filter(({ userId }) => userId !== null && followed.has(userId))
      .map((event) => this.toRow(event, event.userId));
    for (const [hearers, users] of await this.hearersOf(manager, published)) {
      for (const event of published.filter((one) => one.hearers === hearers)) {
        const others = users.filter((userId) => userId !== event.userId);
        rows.push(...others.map((userId) => this.toRow(event, userId)));
      }
    }
    if (rows.length > 0) {
      await insertBatch(manager, FeedEventEntity, rows);
      this.database.onCommit(() => this.numberer.wake());
    }
  }

  /** Who follows among those who hear of the events besides their users. Many events of one change have the same ones. */
  private async hearersOf(
    manager: EntityManager,
    events: readonly DomainEvent[],
  ): Promise<Map<EventHearers, readonly number[]>> {
    const following = new Map<EventHearers, readonly number[]>();
    for (const hearers of new Set(events.flatMap((event) => event.hearers ?? []))) {
      following.set(hearers, await this.followers.amongHearers(manager, hearers));
    }
    return following;
  }

  private toRow(event: DomainEvent, userId: number | null): Omit<FeedEventEntity, 'id'> {
    return { ...this.common(), userId, publicId: eventIdOf(event), type: event.type, data: { ...event.data } };
  }

  private common(): Pick<FeedEventEntity, 'number' | 'occurredAt'> {
    return { number: null, occurredAt: this.clock.now() };
  }
}
