import { Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { InvalidParameterError } from '../../common/errors/validation.errors';
import { writeHead } from '../../common/http/server/stream-head';
import { Lifecycle } from '../../common/lifecycle';
import type { Principal } from '../../common/security/principal';
import { type StreamTicketDto, StreamTickets } from '../api-key/api-key.api';
import type { FeedEntranceDto } from './event-feed.dto';
import { type EventFeedQueryDto, patternsOf } from './event-feed-query.dto';
import { FeedEvents, type FeedStart } from './reading/feed-events';
import { FeedSeats } from './reading/feed-seats';
import { FeedTail } from './reading/feed-tail';
import { OpenFeed } from './reading/open-feed';
import { FeedFollowers } from './storing/feed-outbox';

const LEFT_LATE = 'A closed feed is still counted for a while.';

const HEADERS = { 'Content-Type': 'text/event-stream; charset=utf-8' };

/** Opens feeds, and issues tickets for them. */
@Injectable()
export class EventFeedService {
  private readonly logger = new Logger(EventFeedService.name);

  constructor(
    private readonly tickets: StreamTickets,
    private readonly followers: FeedFollowers,
    private readonly seats: FeedSeats,
    private readonly events: FeedEvents,
    private readonly tail: FeedTail,
    private readonly lifecycle: Lifecycle,
  ) {}

  /** Once this resolves, no event of the user is missed. */
  async ticket(principal: Principal): Promise<StreamTicketDto> {
    await this.followers.follow(principal.userId);
    return this.tickets.issue(principal, { events: true });
  }

  /**
   * A ticket with a place: data that the caller reads afterwards includes everything up to that place. Nothing is
   * written, so there is no place while the events of the user are not stored yet.
   */
  async entrance(principal: Principal): Promise<FeedEntranceDto> {
    const place = (await this.followers.isFollowing(principal.userId)) ? await this.events.present() : null;
    return { ...this.tickets.issue(principal, { events: true }), place };
  }

  /**
   * Streams the events of the caller, until one side closes the connection.
   *
   * @throws TicketInvalidError, TooManyFeedsError, ServiceUnavailableError; ValidationError for an invalid place
   */
  async open(principal: Principal, query: EventFeedQueryDto, request: Request, response: Response): Promise<void> {
    const place = placeOf(request, query);
    if (request.method === 'HEAD') {
      writeHead(response, HEADERS);
      response.end();
      return;
    }
    this.lifecycle.assertAcceptsWork();
    await this.tickets.use(request);
    const seat = await this.seats.take(principal.userId);
    const leave = (): void =>
      void this.seats.leave(seat).catch((error: unknown) => this.logger.warn({ error }, LEFT_LATE));
    try {
      await this.followers.follow(principal.userId);
      const start = await this.events.begin(place);
      if (response.destroyed) {
        leave();
      } else {
        this.begin(principal, patternsOf(query.kinds ?? '*'), response, start, leave);
      }
    } catch (error) {
      leave();
      throw error;
    }
  }

  private begin(
    principal: Principal,
    kinds: readonly string[],
    response: Response,
    start: FeedStart,
    leave: () => void,
  ): void {
    writeHead(response, HEADERS);
    const feed: OpenFeed = new OpenFeed(
      principal,
      kinds,
      response,
      (userId, place) => this.events.after(userId, place),
      () => {
        this.tail.remove(feed);
        leave();
      },
    );
    this.tail.add(feed, start.place);
    feed.start(start);
    if (this.lifecycle.isDraining) {
      feed.end();
    }
  }
}

/** The place that the client has reached; null if it starts now. @throws InvalidParameterError */
function placeOf({ headers }: Request, { after }: EventFeedQueryDto): number | null {
  const last = headers['last-event-id'];
  if (last === undefined || last === '') {
    return after ?? null;
  }
  const place = /^\d{1,16}$/.test(String(last)) ? Number(last) : NaN;
  if (!Number.isSafeInteger(place)) {
    throw new InvalidParameterError([{ field: 'Last-Event-ID', reason: 'invalid_format' }]);
  }
  return place;
}
