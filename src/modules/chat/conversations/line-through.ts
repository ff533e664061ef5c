/** What `lineThrough` needs to know about a message. */
export interface BranchingMessage {
  id: number;
  /** The message before it; null for the first. */
  parentId: number | null;
  /** False for a reply that ended without a word. */
  hasWords: boolean;
}

/**
 * The line through a message, from the first message to the last. Where several lines go through the message, it is the one
 * with the newest message; replies without a word do not count.
 *
 * @param messages all messages of the conversation, sorted by id, so that each comes after its parent
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
  // A reply without a word still belongs to the line when it answers the last message.
  end = messages.findLast(({ parentId }) => parentId === end)?.id ?? end;
  const line: number[] = [];
  for (let id: number | null = end; id !== null; id = parents.get(id) ?? null) {
    line.push(id);
  }
  return line.reverse();
}
