import type { Response } from 'express';
import { isSubscribed } from '../../../common/events/event-patterns';
import { StreamOutput } from '../../../common/http/server/stream-output';
import type { Principal } from '../../../common/security/principal';
import { HOUR_MILLISECONDS } from '../../../common/time';
import { EVENTS_AT_ONCE, type FeedEvent, type FeedStart } from './feed-events';
import { eventText, placeText, resetText } from './feed-format';

/** How long a connection is quiet at most. */
const PING_MILLISECONDS = 15_000;

/** What a feed needs: the next events of the user behind a place. */
export type EventsAfter = (userId: number, place: number) => Promise<FeedEvent[]>;

/** One client that reads events. It keeps its place, and reads what is behind it whenever it is told that there may be more. */
export class OpenFeed {
  private readonly output: StreamOutput;
  private place: number;
  private hasNews = true;
  private isReading = false;
  private wroteAt = performance.now();
  /** When the client was told a place last. */
  private placedAt = performance.now();

  /** @param kinds event types, groups such as `message.*`, or `*` */
  constructor(
    readonly principal: Principal,
    private readonly kinds: readonly string[],
    private readonly response: Response,
    private readonly after: EventsAfter,
    onClose: () => void,
  ) {
    this.place = 0;
    this.output = new StreamOutput(response, () => this.wake(), onClose);
  }

  start({ place, isReset }: FeedStart): void {
    this.place = place;
    this.output.write(isReset ? resetText(place) : placeText(place));
    this.wake();
  }

  /** There may be more to read. */
  wake(): void {
    this.hasNews = true;
    if (!this.isReading) {
      void this.read();
    }
  }

  /** Reads again after a failure. */
  wakeIfLate(): void {
    if (this.hasNews && !this.output.isBlocked) {
      this.wake();
    }
  }

  /** @param position all numbers up to it have been told */
  pingIfQuiet(position: number): void {
    const now = performance.now();
    if (this.output.isDone || this.output.isBlocked || now - this.wroteAt < PING_MILLISECONDS) {
      return;
    }
    const isUpToDate = !this.hasNews && !this.isReading && position > this.place;
    if (isUpToDate && now - this.placedAt > HOUR_MILLISECONDS) {
      // Else the place of a user without events would be forgotten while they are connected.
      this.place = position;
      this.placedAt = now;
      this.write(placeText(position));
    } else {
      this.write(': ping\n\n');
    }
  }

  end(): void {
    if (!this.output.isDone) {
      this.output.end('');
    }
  }

  private async read(): Promise<void> {
    this.isReading = true;
    try {
      while (this.hasNews && !this.output.isBlocked && !this.output.isDone) {
        this.hasNews = false;
        const events = await this.after(this.principal.userId, this.place);
        this.hasNews ||= events.length === EVENTS_AT_ONCE;
        this.tell(events);
      }
    } catch {
      // The database is away. The next look of the tail, a second later, tries again.
      this.hasNews = true;
    } finally {
      this.isReading = false;
    }
  }

  private tell(events: readonly FeedEvent[]): void {
    for (const event of events) {
      if (this.output.isBlocked || this.output.isDone) {
        this.hasNews = true;
        return;
      }
      this.place = event.number;
      if (isSubscribed(this.kinds, event.type)) {
        this.placedAt = performance.now();
        this.write(eventText(event));
        this.output.sendIfLong();
      }
    }
  }

  private write(text: string): void {
    this.wroteAt = performance.now();
    this.output.write(text);
  }
}
