import { Injectable } from '@nestjs/common';
import { type EntityManager, LessThan, MoreThan } from 'typeorm';
import { Clock } from '../../../common/clock';
import { type DomainEvent, DomainEvents, type EventHearers } from '../../../common/events/domain-events';
import { eventIdOf } from '../../../common/events/event-id';
import { DAY_MILLISECONDS, MINUTE_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { type PolledValue, PolledValues } from '../../../database/polled-values';
import { deleteRows } from '../../../database/statements/delete';
import { findRow, findRows } from '../../../database/statements/find';
import { insertBatch, insertRow, upsertRows } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { FeedCounterEntity } from './feed-counter.entity';
import { FeedEventEntity } from './feed-event.entity';
import { FeedFollowerEntity } from './feed-follower.entity';
import { FeedNumberer } from './feed-numberer';

/** How long events of a user are stored after the last feed. */
export const FOLLOWED_MILLISECONDS = DAY_MILLISECONDS;

/** Extra time, so that an open feed need not renew it constantly. */
const SLACK_MILLISECONDS = 10 * MINUTE_MILLISECONDS;

/** Other instances may not know followers that are this recent. Clocks of instances differ by less. */
const RECENT_MILLISECONDS = 5_000;

/**
 * The users whose events are stored. Every instance has the whole list in memory, so that a change of a user who
 * follows nothing costs no statement. Whether the list has changed is queried together with the other standing
 * questions.
 */
@Injectable()
export class FeedFollowers {
  private readonly version: PolledValue;
  private known = 0;
  /** By user, in milliseconds since 1970. */
  private readonly endTimes = new Map<number, number>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly polledValues: PolledValues,
  ) {
    this.version = polledValues.add("(SELECT value FROM feed_counters WHERE name = 'followers')");
  }

  /** The users among these whose events are stored. Call it within `Database.write`. */
  async among(manager: EntityManager, userIds: readonly number[]): Promise<Set<number>> {
    await this.polledValues.refresh(manager);
    if (this.version.value > this.known) {
      await this.learn(manager);
    }
    const now = this.clock.now().getTime();
    return new Set(userIds.filter((id) => (this.endTimes.get(id) ?? 0) > now));
  }

  /**
   * The followers among an event's additional users. It runs a query only if there are followers. Call it after
   * `among`.
   */
  async amongHearers(manager: EntityManager, hearers: EventHearers): Promise<number[]> {
    const now = this.clock.now();
    if (![...this.endTimes.values()].some((end) => end > now.getTime())) {
      return [];
    }
    const where = `until > ? AND user_id IN (${hearers.users})`;
    const parameters = [now, ...hearers.parameters];
    const rows = await findRows(manager, FeedFollowerEntity, { condition: where, parameters }, { members: ['userId'] });
    return rows.map((row) => row.userId);
  }

  /** Whether all instances already store the events of the user. */
  async isFollowing(userId: number): Promise<boolean> {
    const present = await findRow(this.database.manager, FeedFollowerEntity, { userId });
    const now = this.clock.now();
    // With SQLite there are no other instances.
    return present !== null && present.until > now && !(this.database.isShared && isRecent(present.since, now));
  }

  /** Once this resolves, all instances store the events of the user. */
  async follow(userId: number): Promise<void> {
    const present = await findRow(this.database.manager, FeedFollowerEntity, { userId });
    const now = this.clock.now();
    const isLasting = present !== null && present.until.getTime() >= now.getTime() + FOLLOWED_MILLISECONDS;
    const since = present !== null && present.until > now ? present.since : now;
    if (!isLasting) {
      await this.extend([{ userId, since }]);
    }
    if (isRecent(since, now)) {
      await this.polledValues.untilRefreshed();
    }
  }

  /** Extends the following of users who still have a feed. */
  async keepUp(userIds: readonly number[]): Promise<void> {
    const now = this.clock.now();
    const least = now.getTime() + FOLLOWED_MILLISECONDS;
    const due = userIds.filter((id) => (this.endTimes.get(id) ?? 0) < least);
    await this.extend(due.map((userId) => ({ userId, since: now })));
  }

  /** Removes followers without a recent feed. */
  async forgetOld(): Promise<void> {
    const now = this.clock.now().getTime();
    const until = LessThan(new Date(now - FOLLOWED_MILLISECONDS));
    await this.database.write((manager) => deleteRows(manager, FeedFollowerEntity, { until }));
    for (const [userId, end] of this.endTimes) {
      if (end < now) {
        this.endTimes.delete(userId);
      }
    }
  }

  private async extend(followers: readonly Pick<FeedFollowerEntity, 'userId' | 'since'>[]): Promise<void> {
    if (followers.length === 0) {
      return;
    }
    const until = new Date(this.clock.now().getTime() + FOLLOWED_MILLISECONDS + SLACK_MILLISECONDS);
    await this.database.write(async (manager) => {
      // The row of the counter is locked until the commit, so versions are committed in order.
      await updateRows(manager, FeedCounterEntity, {}, "name = 'followers'", [], { value: 1 });
      const counter = await findRow(manager, FeedCounterEntity, { name: 'followers' });
      const version = counter?.value ?? 0;
      const rows = followers.map(({ userId, since }) => ({ userId, since, until, version }));
      await upsertRows(manager, FeedFollowerEntity, rows, ['userId']);
    });
    followers.forEach(({ userId }) => this.endTimes.set(userId, until.getTime()));
  }

  private async learn(manager: EntityManager): Promise<void> {
    const changed = await findRows(manager, FeedFollowerEntity, { version: MoreThan(this.known) });
    changed.forEach(({ userId, until }) => this.endTimes.set(userId, until.getTime()));
    this.known = Math.max(this.known, this.version.value, ...changed.map(({ version }) => version));
  }
}

/** Whether another instance may not know this follower yet. */
function isRecent(since: Date, now: Date): boolean {
  return now.getTime() - since.getTime() < RECENT_MILLISECONDS;
}

/** The type of a row that only has a number. */
const MARK = 'feed.mark';

/**
 * Stores the events of users who follow them, in the transaction of the change: an event is in the feed if and only if
 * the change is committed. `FeedNumberer` assigns the places after the commit.
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

  /** Adds a mark to the feed: everything committed by now has a smaller number than the mark. */
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

  /**
   * The followers among the users whom the events concern in addition to their own user. Many events of one change have
   * the same ones.
   */
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
