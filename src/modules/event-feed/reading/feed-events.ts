import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { RowQuery } from '../../../database/statements/query';
import { FeedEventEntity } from '../storing/feed-event.entity';
import { FeedNumberer } from '../storing/feed-numberer';
import { FeedOutbox, FOLLOWED_MILLISECONDS } from '../storing/feed-outbox';

/** Events of one user read at once. */
export const EVENTS_AT_ONCE = 100;

/** Numbers looked at together. */
export const NUMBERS_AT_ONCE = 1_000;

/** User, number. */
const EVENTS_AFTER = new RowQuery(
  FeedEventEntity,
  ({ userId, number }) => `WHERE ${userId} = ? AND ${number} > ? ORDER BY ${number} LIMIT ${EVENTS_AT_ONCE}`,
  ['number', 'publicId', 'type', 'data', 'occurredAt'],
);

/** Number. */
const NUMBERS_AFTER = new RowQuery(
  FeedEventEntity,
  ({ number }) => `WHERE ${number} > ? ORDER BY ${number} LIMIT ${NUMBERS_AT_ONCE}`,
  ['number', 'userId'],
);

export type FeedEvent = Pick<FeedEventEntity, 'publicId' | 'type' | 'data' | 'occurredAt'> & { number: number };

/** Where a feed begins. */
export interface FeedStart {
  place: number;
  /** Whether something may be missing before it. */
  isReset: boolean;
}

/** Reads what is numbered. */
@Injectable()
export class FeedEvents {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly outbox: FeedOutbox,
    private readonly numberer: FeedNumberer,
  ) {}

  /**
   * Where a feed begins whose client has read up to `place`; without one, now.
   *
   * @throws ServiceUnavailableError when the present has no number in time
   */
  async begin(place: number | null): Promise<FeedStart> {
    if (place !== null && (await this.isKnown(place))) {
      return { place, isReset: false };
    }
    return { place: await this.outbox.mark(), isReset: place !== null };
  }

  /** The last number that was given: later changes come behind it. Null where no feed can begin there. */
  async present(): Promise<number | null> {
    const last = await this.numberer.last();
    return (await this.isKnown(last)) ? last : null;
  }

  /** The next events of a user behind a place, the first of them if there are many. */
  async after(userId: number, place: number): Promise<FeedEvent[]> {
    return (await EVENTS_AFTER.all(this.database.manager, [userId, place])) as FeedEvent[];
  }

  /** The next numbers that anybody’s events got. */
  async numbersAfter(place: number): Promise<{ number: number; userId: number | null }[]> {
    return (await NUMBERS_AFTER.all(this.database.manager, [place])) as { number: number; userId: number | null }[];
  }

  /** Whether everything behind the place is still there. */
  private async isKnown(place: number): Promise<boolean> {
    const event = await findRow(this.database.manager, FeedEventEntity, { number: place }, { members: ['occurredAt'] });
    return event !== null && event.occurredAt.getTime() >= this.clock.now().getTime() - FOLLOWED_MILLISECONDS;
  }
}
