/** What a line needs to know of a message. */
export interface BranchingMessage {
  id: number;
  /** The message before it in every line that it is in; null at the beginning. */
  parentId: number | null;
  /** False for a reply that ended without a word. */
  hasWords: boolean;
}

/**
 * The line through a message, from its beginning to its end: below the message it is the one in which was written last,
 * not counting replies without a word.
 *
 * @param messages all of the conversation, by id, so that none comes before its parent
 * @returns ids
 */
export function lineThrough(messages: BranchingMessage[], messageId: number): number[] {
  const parents = new Map(messages.map(({ id, parentId }) => [id, parentId]));
  const below = new Set([messageId]);
  let end = messageId;
  for (const { id, parentId, hasWords } of messages) {
    if (parentId !== null && below.has(parentId)) {
      below.add(id);
      end = hasWords ? id : end;
    }
  }
  // A message that was answered without a word is followed by that answer all the same.
  end = messages.findLast(({ parentId }) => parentId === end)?.id ?? end;
  const line: number[] = [];
  for (let id: number | null = end; id !== null; id = parents.get(id) ?? null) {
    line.push(id);
  }
  return line.reverse();
}
