import type { Visit } from './visit';

const PREFIX = 'console-draft-';

/** What was typed and not sent, for each chat: it is there again after a reload, in this tab, for the same person. */
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
      // The browser's room for drafts is full; the text itself is in the entry.
    }
  }

  private keyOf(place: string): string {
    return `${PREFIX}${this.visit.userId}-${place}`;
  }
}

/** Where another wording of a message is kept. */
export const editPlace = (messageId: number): string => `edit-${messageId}`;

/** Removes the drafts of everybody but one. */
export function forgetDrafts(keptId?: number): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX) && !key.startsWith(`${PREFIX}${keptId}-`)) sessionStorage.removeItem(key);
  }
}
