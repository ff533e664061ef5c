import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { KeyedQueue } from '../../../common/background/keyed-queue';
import { runStatement } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import type { ChatEntity } from './chat.entity';
import { MessageEntity } from './message.entity';

/** The fields of a message that `lineThrough` needs. */
export interface BranchingMessage {
  id: number;
  /** The preceding message; null for the first. */
  parentId: number | null;
  /** False for a reply that ended without text. */
  hasContent: boolean;
}

/** Messages that one statement reads or changes. Other requests run between two statements. */
const READ_AT_ONCE = 2_000;
const CHANGED_AT_ONCE = 500;

/** The most line changes of a user that may be queued. */
const MOST_WAITING = 100;

/**
 * Conversation, position, position, ID, limit. Each batch starts at its first index row. Batches by ID would read all
 * messages of the conversation each time.
 */
export const MESSAGES_OF_LINES =
  'SELECT id, parent_id, role, token_count, is_current, position FROM chat_messages ' +
  'WHERE chat_id = ? AND position >= ? AND (position > ? OR id > ?) ORDER BY position, id LIMIT ?';

/** The end of a line and its number of messages. */
export type LineEnd = Pick<ChatEntity, 'lineEndId' | 'messageCount'>;

interface LineMessage extends BranchingMessage {
  isCurrent: boolean;
}

/** The columns of `MESSAGES_OF_LINES`. */
type MessageRow = [
  id: number,
  parentId: number | null,
  role: string,
  tokens: number,
  isCurrent: number,
  position: number,
];

/**
 * Changes which messages are on the current line of a conversation. A message can have several versions, each with its
 * own follow-up messages; the current line is one path through them. Call all methods within `Database.write`. They do
 * not write the row of the conversation: the caller does, with a condition that lets only one of two parallel changes
 * succeed.
 *
 * This folder has the tables of the module, such as `chat.entity.ts` and `message.entity.ts`, and the code that keeps
 * them consistent.
 */
@Injectable()
export class ConversationLine {
  /**
   * Queues requests that only change a line, per user. In a very long conversation such a change is slow, and without a
   * queue all other writes would wait for all of them.
   */
  readonly turns = new KeyedQueue<number>(MOST_WAITING);

  /** Takes all messages from `position` on off the line, except the message `keptId`. */
  async cut(manager: EntityManager, chatId: number, position: number, keptId: number): Promise<void> {
    await updateRows(
      manager,
      MessageEntity,
      { isCurrent: false },
      'chat_id = ? AND position >= ? AND is_current = 1 AND id <> ?',
      [chatId, position, keptId],
    );
  }

  /** Makes the line through a message the current one. Below the message it follows the newest messages. */
  async switchLine(manager: EntityManager, chatId: number, messageId: number): Promise<LineEnd> {
    const messages = await readAll(manager, chatId);
    const line = lineThrough(messages, messageId);
    const onLine = new Set(line);
    const changed = (isCurrent: boolean): number[] =>
      messages
        .filter((message) => onLine.has(message.id) === isCurrent && message.isCurrent !== isCurrent)
        .map(({ id }) => id);
    await mark(manager, changed(false), false);
    await mark(manager, changed(true), true);
    return { lineEndId: line.at(-1) ?? null, messageCount: line.length };
  }
}

/** All messages of a conversation, sorted by ID. */
async function readAll(manager: EntityManager, chatId: number): Promise<LineMessage[]> {
  const messages: LineMessage[] = [];
  let place = { position: 0, id: 0 };
  for (let hasMore = true; hasMore;) {
    const { position: reached, id: lastId } = place;
    const { rows } = await runStatement(manager, MESSAGES_OF_LINES, [chatId, reached, reached, lastId, READ_AT_ONCE]);
    for (const [id, parentId, role, tokens, isCurrent, position] of rows as MessageRow[]) {
      messages.push({ id, parentId, hasContent: role === 'user' || tokens > 0, isCurrent: isCurrent === 1 });
      place = { position, id };
    }
    hasMore = rows.length === READ_AT_ONCE;
    await nextTurn();
  }
  return messages.sort((one, other) => one.id - other.id);
}

async function mark(manager: EntityManager, ids: number[], isCurrent: boolean): Promise<void> {
  for (let start = 0; start < ids.length; start += CHANGED_AT_ONCE) {
    await updateRows(manager, MessageEntity, { isCurrent }, { id: In(ids.slice(start, start + CHANGED_AT_ONCE)) });
    await nextTurn();
  }
}

/**
 * The line through a message, from the first message to the last. If several lines contain the message, this is the
 * line with the newest message, not counting replies without text.
 *
 * @param messages all messages of the conversation, sorted by ID, so that each comes after its parent
 * @returns IDs
 */
export function lineThrough(messages: BranchingMessage[], messageId: number): number[] {
  const parents = new Map(messages.map(({ id, parentId }) => [id, parentId]));
  const below = new Set([messageId]);
  let end = messageId;
  for (const { id, parentId, hasContent } of messages) {
    if (parentId !== null && below.has(parentId)) {
      below.add(id);
      end = hasContent ? id : end;
    }
  }
  // A reply without text still belongs to the line if it answers the last message.
  end = messages.findLast(({ parentId }) => parentId === end)?.id ?? end;
  const line: number[] = [];
  for (let id: number | null = end; id !== null; id = parents.get(id) ?? null) {
    line.push(id);
  }
  return line.reverse();
}
