import type { Visit } from './visit';

const PREFIX = 'console-draft-';

/** Unsent text of each chat. A draft survives a reload of the tab, and only its user sees it. */
export class Drafts {
  constructor(private readonly visit: Visit) {}

  read(place: string): string {
    return sessionStorage.getItem(this.keyOf(place)) ?? '';
  }

  keep(place: string, text: string): void {
    try {
      if (text === '') sessionStorage.removeItem(this.keyOf(place));
      else sessionStorage.setItem(this.keyOf(place), text);
    } catch {
      // The storage quota is used up. The text remains in the input.
    }
  }

  private keyOf(place: string): string {
    return `${PREFIX}${this.visit.userId}-${place}`;
  }
}

/** The draft key of an edited message. */
export const editPlace = (messageId: number): string => `edit-${messageId}`;

/** Removes all drafts except those of one user. */
export function forgetDrafts(keptId?: number): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX) && !key.startsWith(`${PREFIX}${keptId}-`)) sessionStorage.removeItem(key);
  }
}
