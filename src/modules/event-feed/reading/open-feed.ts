import type { Response } from 'express';
import { isSubscribed } from '../../../common/events/event-patterns';
import { StreamOutput } from '../../../common/http/server/stream-output';
import type { Principal } from '../../../common/security/principal';
import { HOUR_MILLISECONDS } from '../../../common/time';
import { EVENTS_AT_ONCE, type FeedEvent, type FeedStart } from './feed-events';
import { eventText, placeText, resetText } from './feed-format';

/** Longest time without data on a connection. */
const PING_MILLISECONDS = 15_000;

/** Returns the next events of the user after a place. */
export type EventsAfter = (userId: number, place: number) => Promise<FeedEvent[]>;

/** One client that reads events. It keeps its place, and reads events after it whenever it is woken. */
export class OpenFeed {
  private readonly output: StreamOutput;
  private place: number;
  private hasNews = true;
  private isReading = false;
  private wroteAt = performance.now();
  /**
   * The last place that was sent to the client, and when. Events of types that the client did not request advance only
   * the internal place.
   */
  private sentPlace = 0;
  private sentAt = performance.now();

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
    this.place = this.sentPlace = place;
    this.output.write(isReset ? resetText(place) : placeText(place));
    this.wake();
  }

  /** There may be more events to read. */
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

  /** @param position the feeds have been notified of all numbers up to it */
  pingIfQuiet(position: number): void {
    const now = performance.now();
    if (this.output.isDone || this.output.isBlocked || now - this.wroteAt < PING_MILLISECONDS) {
      return;
    }
    const reached = Math.max(position, this.place);
    const isUpToDate = !this.hasNews && !this.isReading;
    if (isUpToDate && reached > this.sentPlace && now - this.sentAt > HOUR_MILLISECONDS) {
      // Otherwise the place of a client without events would expire while it is connected.
      this.place = reached;
      this.writePlace(reached, placeText(reached));
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
        this.writeEvents(events);
      }
    } catch {
      // The database is unavailable. The tail's next check, a second later, retries.
      this.hasNews = true;
    } finally {
      this.isReading = false;
    }
  }

  private writeEvents(events: readonly FeedEvent[]): void {
    for (const event of events) {
      if (this.output.isBlocked || this.output.isDone) {
        this.hasNews = true;
        return;
      }
      this.place = event.number;
      if (isSubscribed(this.kinds, event.type)) {
        this.writePlace(event.number, eventText(event));
        this.output.sendIfLong();
      }
    }
  }

  private writePlace(place: number, text: string): void {
    this.sentPlace = place;
    this.sentAt = performance.now();
    this.write(text);
  }

  private write(text: string): void {
    this.wroteAt = performance.now();
    this.output.write(text);
  }
}
