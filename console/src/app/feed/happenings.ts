import type { PageStart } from '../page-start';
import type { Visit } from '../visit';
import { Feed } from './feed';
import type { Happening } from './feed-messages';

/** Distributes the events of the one feed to all parts of the page. */
export class Happenings {
  /** Whether the feed is open, for parts of the page that subscribe later. */
  isOpen = false;
  /** Whether events may be missing that are neither in the feed nor in the loaded page. */
  isSomethingMissed = true;
  private readonly listeners = new Set<(event: Happening) => void>();
  private readonly feed: Feed | undefined;
  private readonly start: PageStart;
  /** The bootstrap response includes all events up to this position. */
  private readonly place: number | null;

  constructor({ userId, start }: Visit) {
    this.start = start;
    const entrance = start.take('events');
    this.place = entrance?.place ?? null;
    this.feed = userId === null ? undefined : new Feed(userId, (event) => this.tell(event), entrance);
  }

  /** Returns a function that unsubscribes the listener. */
  subscribe(listener: (event: Happening) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  dispose(): void {
    this.feed?.dispose();
    this.listeners.clear();
  }

  private tell(event: Happening): void {
    if (event.type === 'opened') {
      this.isOpen = true;
      this.isSomethingMissed = typeof event.after !== 'number' || this.place === null || event.after > this.place;
    } else this.start.forget();
    this.listeners.forEach((listener) => listener(event));
  }
}
