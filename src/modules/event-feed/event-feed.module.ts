import { ApiProperty } from '@nestjs/swagger';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventKinds } from '../../common/events/event-kinds';
import { Feature } from '../../common/features/feature.decorator';
import { ApiKeyModule } from '../api-key/api-key.api';
import { UserModule } from '../user/user.api';
import { EventFeedController } from './event-feed.controller';
import { FeedEventDto } from './event-feed.dto';
import { EventFeedPersonalData } from './event-feed.personal-data';
import { EventFeedRetention } from './event-feed.retention';
import { EventFeedService } from './event-feed.service';
import { FEED_KINDS } from './event-feed-query.dto';
import { FeedAccess } from './reading/feed-access';
import { FeedEvents } from './reading/feed-events';
import { FeedSeatEntity } from './reading/feed-seat.entity';
import { FeedSeats } from './reading/feed-seats';
import { FeedTail } from './reading/feed-tail';
import { FeedCounterEntity } from './storing/feed-counter.entity';
import { FeedEventEntity } from './storing/feed-event.entity';
import { FeedFollowerEntity } from './storing/feed-follower.entity';
import { FeedNumberer } from './storing/feed-numberer';
import { FeedFollowers, FeedOutbox } from './storing/feed-outbox';

/**
 * A stream of a user's events for all devices. docs/events.md lists the guarantees for readers.
 *
 * - `storing/` stores the events of users with feeds, starting with `FeedOutbox`, and assigns their places.
 * - `reading/` delivers them, starting with `FeedTail`: an `OpenFeed` for each connection.
 */
@Feature({
  folder: __dirname,
  groups: { Events: 'A live stream of the events of your account.' },
  imports: [
    TypeOrmModule.forFeature([FeedCounterEntity, FeedEventEntity, FeedFollowerEntity, FeedSeatEntity]),
    ApiKeyModule,
    UserModule,
  ],
  controllers: [EventFeedController],
  providers: [
    EventFeedPersonalData,
    EventFeedRetention,
    EventFeedService,
    FeedAccess,
    FeedEvents,
    FeedFollowers,
    FeedNumberer,
    FeedOutbox,
    FeedSeats,
    FeedTail,
  ],
  exports: [EventFeedService],
})
export class EventFeedModule {
  constructor(kinds: EventKinds) {
    // Decorators run while modules load, and the types are complete only after that.
    const types = kinds.all.map(({ type }) => type);
    FEED_KINDS.types = types;
    ApiProperty({ enum: types, enumName: 'EventType' })(FeedEventDto.prototype, 'type');
  }
}
