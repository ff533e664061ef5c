/** What was typed and not sent, for each conversation: it is there again after a reload, in this tab. */
const keyOf = (place: string): string => `console-draft-${place}`;

/** Where another wording of a message is kept. */
export const editPlace = (messageId: number): string => `edit-${messageId}`;

export function readDraft(place: string): string {
  return sessionStorage.getItem(keyOf(place)) ?? '';
}

export function keepDraft(place: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(keyOf(place));
    else sessionStorage.setItem(keyOf(place), text);
  } catch {
    // The browser's room for drafts is full; the text itself is in the entry.
  }
}
