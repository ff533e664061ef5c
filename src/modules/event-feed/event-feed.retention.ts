import { Injectable, Logger } from '@nestjs/common';
import { In } from 'typeorm';
import { Clock } from '../../common/clock';
import { HOUR_MILLISECONDS } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { deleteRows } from '../../database/statements/delete';
import { findRows } from '../../database/statements/find';
import { FeedEventEntity } from './storing/feed-event.entity';
import { FeedFollowers, FOLLOWED_MILLISECONDS } from './storing/feed-outbox';

/** Rows removed in one transaction. */
const BATCH = 200;

/** Pause after each transaction, so that requests are not slowed down. */
const PAUSE_MILLISECONDS = 50;

/**
 * How much longer events are kept than feeds can go back, because clocks of instances differ and feeds are still being
 * read.
 */
const SLACK_MILLISECONDS = HOUR_MILLISECONDS;

/** Removes events that no feed can reach any more, and followers without a recent feed. */
@Injectable()
export class EventFeedRetention {
  private readonly logger = new Logger(EventFeedRetention.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly followers: FeedFollowers,
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.purge(),
      onError: (error) => this.logger.warn({ error }, 'Old events of feeds could not be removed.'),
      idleMilliseconds: HOUR_MILLISECONDS,
    });
  }

  /** Removes one batch. Returns the milliseconds until the next one, null if nothing is left. */
  async purge(): Promise<number | null> {
    const options = { members: ['id', 'occurredAt'], order: { id: 'ASC' }, limit: BATCH } as const;
    const oldest = await findRows(this.database.manager, FeedEventEntity, {}, options);
    const limit = new Date(this.clock.now().getTime() - FOLLOWED_MILLISECONDS - SLACK_MILLISECONDS);
    const ids = oldest.filter(({ occurredAt }) => occurredAt < limit).map(({ id }) => id);
    if (ids.length > 0) {
      await this.database.write((manager) => deleteRows(manager, FeedEventEntity, { id: In(ids) }));
      return PAUSE_MILLISECONDS;
    }
    await this.followers.forgetOld();
    return null;
  }
}
