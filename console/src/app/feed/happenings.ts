import type { Visit } from '../visit';
import { Feed } from './feed';
import type { Happening } from './feed-messages';

/** What happens to the person elsewhere, for every part of the page: one feed for all of them. */
export class Happenings {
  /** Whether the feed was opened, for parts of the page that come later. */
  isOpen = false;
  private readonly listeners = new Set<(event: Happening) => void>();
  private readonly feed: Feed | undefined;

  constructor({ userId }: Visit) {
    this.feed = userId === null ? undefined : new Feed(userId, (event) => this.tell(event));
  }

  /** Returns how to stop. */
  subscribe(listener: (event: Happening) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  dispose(): void {
    this.feed?.dispose();
    this.listeners.clear();
  }

  private tell(event: Happening): void {
    if (event.type === 'opened') this.isOpen = true;
    this.listeners.forEach((listener) => listener(event));
  }
}
