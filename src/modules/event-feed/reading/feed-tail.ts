import { Injectable, Logger } from '@nestjs/common';
import type { BackgroundLoop } from '../../../common/background/background-loop';
import { Lifecycle } from '../../../common/lifecycle';
import { MINUTE_MILLISECONDS, SECOND_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { FeedNumberer } from '../storing/feed-numberer';
import { FeedFollowers } from '../storing/feed-outbox';
import { FeedAccess } from './feed-access';
import { FeedEvents, NUMBERS_AT_ONCE } from './feed-events';
import { FeedSeats, RENEWAL_MILLISECONDS } from './feed-seats';
import type { OpenFeed } from './open-feed';

/** How often it checks for numbers without a notification. */
const LOOK_MILLISECONDS = SECOND_MILLISECONDS;

/** How often it checks whether clients may still read, and whether a ping is due. */
const CHECK_MILLISECONDS = SECOND_MILLISECONDS / 2;

/**
 * The open feeds of this instance. It reads assigned numbers in order, and wakes each feed whose user has a new event.
 * Redis notifies it immediately; without Redis, it checks once a second.
 */
@Injectable()
export class FeedTail {
  private readonly logger = new Logger(FeedTail.name);
  private readonly feeds = new Map<number, Set<OpenFeed>>();
  private readonly loop: BackgroundLoop;
  private timer: NodeJS.Timeout | undefined;
  /** The feeds were notified of numbers up to here. */
  private position = 0;
  private renewedAt = 0;
  private followedAt = 0;

  constructor(
    private readonly events: FeedEvents,
    private readonly numberer: FeedNumberer,
    private readonly seats: FeedSeats,
    private readonly followers: FeedFollowers,
    private readonly access: FeedAccess,
    background: BackgroundWork,
    lifecycle: Lifecycle,
  ) {
    this.loop = background.add({
      step: () => this.step(),
      onError: (error) => this.logger.warn({ error }, 'The event feeds could not be continued.'),
      idleMilliseconds: LOOK_MILLISECONDS,
    });
    numberer.onNumbered(() => this.isWatched && this.loop.wake());
    lifecycle.onDrain(() => this.endAll());
  }

  /** @param place where the feed begins; it is notified of later numbers */
  add(feed: OpenFeed, place: number): void {
    if (!this.isWatched) {
      // While there was no feed, numbers were not tracked. The first feed reads events after its place by itself.
      this.position = place;
      this.renewedAt = this.followedAt = performance.now();
    }
    const { userId } = feed.principal;
    this.feeds.set(userId, (this.feeds.get(userId) ?? new Set()).add(feed));
    this.timer ??= setInterval(() => this.check(), CHECK_MILLISECONDS).unref();
  }

  remove(feed: OpenFeed): void {
    const { userId } = feed.principal;
    const others = this.feeds.get(userId);
    others?.delete(feed);
    if (others?.size === 0) {
      this.feeds.delete(userId);
    }
    if (!this.isWatched) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
  }

  private get isWatched(): boolean {
    return this.feeds.size > 0;
  }

  private get all(): OpenFeed[] {
    return [...this.feeds.values()].flatMap((feeds) => [...feeds]);
  }

  private async step(): Promise<number | null> {
    if (!this.isWatched) {
      return null;
    }
    await this.keepUp();
    const numbers = await this.events.nextNumbers(this.position);
    const users = new Set(numbers.map(({ userId }) => userId));
    for (const userId of users) {
      this.feeds.get(userId ?? 0)?.forEach((feed) => feed.wake());
    }
    this.position = numbers.at(-1)?.number ?? this.position;
    if (numbers.length === NUMBERS_AT_ONCE) {
      return 0;
    }
    this.numberer.look();
    this.all.forEach((feed) => feed.wakeIfLate());
    return LOOK_MILLISECONDS;
  }

  /** Renews the leases of these feeds in the database. */
  private async keepUp(): Promise<void> {
    const now = performance.now();
    if (now - this.renewedAt > RENEWAL_MILLISECONDS) {
      this.renewedAt = now;
      await this.seats.renew();
    }
    if (now - this.followedAt > MINUTE_MILLISECONDS) {
      this.followedAt = now;
      await this.followers.keepUp([...this.feeds.keys()]);
    }
  }

  private check(): void {
    for (const feed of this.all) {
      feed.pingIfQuiet(this.position);
      void this.access.holds(feed.principal).then((holds) => !holds && feed.end());
    }
  }

  private endAll(): Promise<void> {
    this.all.forEach((feed) => feed.end());
    return Promise.resolve();
  }
}
