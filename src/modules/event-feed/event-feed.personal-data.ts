import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../database/database';
import { deleteRows } from '../../database/statements/delete';
import { findRows } from '../../database/statements/find';
import { keysetBatches } from '../../database/statements/keyset-batches';
import { PersonalDataRegistry } from '../user/user.api';
import { FeedSeatEntity } from './reading/feed-seat.entity';
import { FeedEventEntity } from './storing/feed-event.entity';
import { FeedFollowerEntity } from './storing/feed-follower.entity';

/** The module's personal data of a user: the events of a day, and whether the user follows them. */
@Injectable()
export class EventFeedPersonalData {
  constructor(
    private readonly database: Database,
    registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'feed_events',
      entities: [FeedEventEntity],
      rows: (userId) => this.events(userId),
      erase: (userId) => this.eraseEvents(userId),
    });
    registry.register({
      name: 'feeds',
      entities: [FeedFollowerEntity, FeedSeatEntity],
      rows: (userId) => this.follower(userId),
      erase: (userId) => this.eraseFollower(userId),
    });
  }

  private async *events(userId: number): AsyncGenerator<object> {
    for await (const events of keysetBatches(this.database.manager, FeedEventEntity, { userId })) {
      yield* events.map((event) => toEventRow(event));
    }
  }

  private async *follower(userId: number): AsyncGenerator<object> {
    for (const { since, until } of await findRows(this.database.manager, FeedFollowerEntity, { userId })) {
      yield { since: since.toISOString(), until: until.toISOString() };
    }
  }

  private async eraseEvents(userId: number): Promise<void> {
    for await (const events of keysetBatches(this.database.manager, FeedEventEntity, { userId }, { members: ['id'] })) {
      const id = In(events.map((event) => event.id));
      await this.database.write((manager) => deleteRows(manager, FeedEventEntity, { id }));
    }
  }

  private async eraseFollower(userId: number): Promise<void> {
    await this.database.write(async (manager) => {
      await deleteRows(manager, FeedFollowerEntity, { userId });
      await deleteRows(manager, FeedSeatEntity, { userId });
    });
  }
}

function toEventRow({ publicId, type, data, occurredAt }: FeedEventEntity): object {
  return { id: publicId, type, timestamp: occurredAt.toISOString(), data };
}
