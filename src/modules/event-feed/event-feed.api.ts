/** The exports of this module for other modules. */
export { FeedEntranceDto } from './event-feed.dto';
export { EventFeedModule } from './event-feed.module';
export { EventFeedService } from './event-feed.service';
