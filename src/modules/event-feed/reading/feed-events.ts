import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { RowQuery } from '../../../database/statements/query';
import { FeedEventEntity } from '../storing/feed-event.entity';
import { FeedNumberer } from '../storing/feed-numberer';
import { FeedOutbox, FOLLOWED_MILLISECONDS } from '../storing/feed-outbox';

/** Most events of one user read at once. */
export const EVENTS_AT_ONCE = 100;

/** Most numbers read at once. */
export const NUMBERS_AT_ONCE = 1_000;

/** Parameters: user, number. */
const EVENTS_AFTER = new RowQuery(
  FeedEventEntity,
  ({ userId, number }) => `WHERE ${userId} = ? AND ${number} > ? ORDER BY ${number} LIMIT ${EVENTS_AT_ONCE}`,
  ['number', 'publicId', 'type', 'data', 'occurredAt'],
);

/** Parameter: number. */
const NUMBERS_AFTER = new RowQuery(
  FeedEventEntity,
  ({ number }) => `WHERE ${number} > ? ORDER BY ${number} LIMIT ${NUMBERS_AT_ONCE}`,
  ['number', 'userId'],
);

export type FeedEvent = Pick<FeedEventEntity, 'publicId' | 'type' | 'data' | 'occurredAt'> & { number: number };

/** Where a feed begins. */
export interface FeedStart {
  place: number;
  /** Whether events may be missing before it. */
  isReset: boolean;
}

/** Reads numbered events. */
@Injectable()
export class FeedEvents {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly outbox: FeedOutbox,
    private readonly numberer: FeedNumberer,
  ) {}

  /**
   * The start of a feed whose client has read up to `place`; without a place, now.
   *
   * @throws ServiceUnavailableError if the current mark gets no number in time
   */
  async begin(place: number | null): Promise<FeedStart> {
    if (place !== null && (await this.isKnown(place))) {
      return { place, isReset: false };
    }
    return { place: await this.outbox.mark(), isReset: place !== null };
  }

  /** The last assigned number. Later changes follow it. Null if no feed can begin there. */
  async present(): Promise<number | null> {
    const last = await this.numberer.last();
    return (await this.isKnown(last)) ? last : null;
  }

  /** The next events of a user after a place, up to a limit. */
  async after(userId: number, place: number): Promise<FeedEvent[]> {
    return (await EVENTS_AFTER.all(this.database.manager, [userId, place])) as FeedEvent[];
  }

  /** The next assigned numbers, of all users. */
  async nextNumbers(place: number): Promise<{ number: number; userId: number | null }[]> {
    return (await NUMBERS_AFTER.all(this.database.manager, [place])) as { number: number; userId: number | null }[];
  }

  /** Whether all events after the place are still stored. */
  private async isKnown(place: number): Promise<boolean> {
    const event = await findRow(this.database.manager, FeedEventEntity, { number: place }, { members: ['occurredAt'] });
    return event !== null && event.occurredAt.getTime() >= this.clock.now().getTime() - FOLLOWED_MILLISECONDS;
  }
}
