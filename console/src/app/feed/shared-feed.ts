import { type Entrance, FEED_KINDS, type Happening, OPENED, type ToTab, type ToWorker } from './feed-messages';

/** If a tab sends no ticket within this time, it is suspended or closed, and another tab must provide one. */
const ANSWER_MILLISECONDS = 5_000;

const FIRST_PAUSE_MILLISECONDS = 1_000;
const LONGEST_PAUSE_MILLISECONDS = 30_000;

/**
 * Holds the browser's one connection to a user's feed, for all tabs. The worker has no access token, so a tab fetches
 * the ticket for each connection.
 */
export class SharedFeed {
  /** The most recent tab comes first. */
  private tabs: MessagePort[] = [];
  private source: EventSource | null = null;
  /** Position in the feed; null before the first event. */
  private place: string | null = null;
  private wasOpen = false;
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  take(tab: MessagePort, message: ToWorker): void {
    if (message.kind === 'leave') this.leave(tab);
    else if (message.kind === 'join') {
      if (!this.tabs.includes(tab)) {
        this.tabs.push(tab);
        if (this.source?.readyState === EventSource.OPEN) post(tab, { kind: 'happened', event: this.opened });
      }
      if (message.entrance && !this.source) this.open(message.entrance);
      else this.ask();
    } else if (message.ticket === null) this.askLater();
    else if (!this.source && this.tabs.includes(tab)) this.open({ ticket: message.ticket, place: null });
  }

  private get opened(): Happening {
    return { ...OPENED, after: this.place === null ? null : Number(this.place) };
  }

  private leave(tab: MessagePort): void {
    this.tabs = this.tabs.filter((other) => other !== tab);
    if (this.tabs.length > 0) return;
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
    this.place = null;
    this.wasOpen = false;
  }

  private ask(): void {
    clearTimeout(this.timer);
    const tab = this.tabs.at(-1);
    if (!tab || this.source) return;
    post(tab, { kind: 'ticket' });
    this.timer = setTimeout(() => {
      this.tabs = [tab, ...this.tabs.filter((other) => other !== tab)];
      this.ask();
    }, ANSWER_MILLISECONDS);
  }

  private askLater(): void {
    clearTimeout(this.timer);
    const pause = Math.min(FIRST_PAUSE_MILLISECONDS * 2 ** this.failures, LONGEST_PAUSE_MILLISECONDS);
    this.timer = setTimeout(() => this.ask(), pause);
    this.failures += 1;
  }

  /** Resumes after the last delivered event, or after the given position if there was none. */
  private open({ ticket, place: start }: Entrance): void {
    clearTimeout(this.timer);
    this.place ??= start === null ? null : String(start);
    const { place } = this;
    const query = new URLSearchParams({ ticket, kinds: FEED_KINDS.join(), ...(place !== null && { after: place }) });
    const source = new EventSource(`/api/v1/events?${query}`);
    this.source = source;
    source.onopen = () => this.noteOpening();
    source.onerror = () => {
      // The ticket works only once, so `EventSource` cannot reconnect by itself.
      source.close();
      if (this.source !== source) return;
      this.source = null;
      this.askLater();
    };
    for (const kind of [...FEED_KINDS, 'reset'] as const) {
      source.addEventListener(kind, ({ data, lastEventId }: MessageEvent<string>) => {
        this.place = lastEventId;
        const { timestamp, data: facts } = JSON.parse(data) as Partial<Happening>;
        this.tell({ type: kind, timestamp: timestamp ?? '', data: facts ?? {} });
      });
    }
  }

  private noteOpening(): void {
    this.failures = 0;
    if (!this.wasOpen) this.tell(this.opened);
    // Without a position, events during the gap may be missing.
    else if (this.place === null) this.tell({ ...OPENED, type: 'reset' });
    this.wasOpen = true;
  }

  private tell(event: Happening): void {
    this.tabs.forEach((tab) => post(tab, { kind: 'happened', event }));
  }
}

function post(tab: MessagePort, message: ToTab): void {
  tab.postMessage(message);
}
