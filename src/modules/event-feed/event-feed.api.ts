/** What other modules may use of this one. */
export { FeedEntranceDto } from './event-feed.dto';
export { EventFeedModule } from './event-feed.module';
export { EventFeedService } from './event-feed.service';
