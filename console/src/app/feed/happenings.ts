import type { Visit } from '../visit';
import { Feed } from './feed';
import type { Happening } from './feed-messages';

/** What happens to the person elsewhere, for every part of the page: one feed for all of them. */
export class Happenings {
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
    this.listeners.forEach((listener) => listener(event));
  }
}
