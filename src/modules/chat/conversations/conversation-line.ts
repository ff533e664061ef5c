import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { KeyedQueue } from '../../../common/background/keyed-queue';
import { runStatement } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import type { ChatEntity } from './chat.entity';
import { MessageEntity } from './message.entity';

/** What `lineThrough` needs to know about a message. */
export interface BranchingMessage {
  id: number;
  /** The message before it; null for the first. */
  parentId: number | null;
  /** False for a reply that ended without a word. */
  hasWords: boolean;
}

/** How many messages one statement reads, and how many it changes. Between two statements other requests have their turn. */
const READ_AT_ONCE = 2_000;
const CHANGED_AT_ONCE = 500;

/** Changes of lines that a user may have asked for and that are not done. */
const MOST_WAITING = 100;

/**
 * Conversation, position, position, id, most rows. Each part begins where the index has its first row: by ids, every part would
 * read all messages of the conversation again.
 */
export const MESSAGES_OF_LINES =
  'SELECT id, parent_id, role, token_count, is_current, position FROM chat_messages ' +
  'WHERE chat_id = ? AND position >= ? AND (position > ? OR id > ?) ORDER BY position, id LIMIT ?';

/** The end of a line, and how many messages it has. */
export type LineEnd = Pick<ChatEntity, 'lineEndId' | 'messageCount'>;

interface LineMessage extends BranchingMessage {
  isCurrent: boolean;
}

/** The cells of `MESSAGES_OF_LINES`. */
type MessageRow = [
  id: number,
  parentId: number | null,
  role: string,
  tokens: number,
  isCurrent: number,
  position: number,
];

/**
 * Changes which messages are on the current line of a conversation. A message can have several versions, and each version
 * has its own messages after it. One path through them is the current line. All methods run within `Database.write`. They do
 * not write the row of the conversation: the caller does, with a condition that lets only one of two parallel changes pass.
 *
 * This folder has the tables of the module, from `chat.entity.ts` and `message.entity.ts` on, and what keeps them consistent.
 */
@Injectable()
export class ConversationLine {
  /**
   * For requests that only change a line, by user. In a conversation of very many messages each takes long, and without their
   * turns everybody's writes would wait until all of them are done.
   */
  readonly turns = new KeyedQueue<number>(MOST_WAITING);

  /** Takes all messages from `position` on off the line, except the one with `keptId`. */
  async cut(manager: EntityManager, chatId: number, position: number, keptId: number): Promise<void> {
    await updateRows(
      manager,
      MessageEntity,
      { isCurrent: false },
      'chat_id = ? AND position >= ? AND is_current = 1 AND id <> ?',
      [chatId, position, keptId],
    );
  }

  /** Makes the line through a message the current one. After the message it continues with what was written last. */
  async switchTo(manager: EntityManager, chatId: number, messageId: number): Promise<LineEnd> {
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

/** All messages of a conversation, sorted by id. */
async function readAll(manager: EntityManager, chatId: number): Promise<LineMessage[]> {
  const messages: LineMessage[] = [];
  let place = { position: 0, id: 0 };
  for (let hasMore = true; hasMore;) {
    const { position: reached, id: lastId } = place;
    const { rows } = await runStatement(manager, MESSAGES_OF_LINES, [chatId, reached, reached, lastId, READ_AT_ONCE]);
    for (const [id, parentId, role, tokens, isCurrent, position] of rows as MessageRow[]) {
      messages.push({ id, parentId, hasWords: role === 'user' || tokens > 0, isCurrent: isCurrent === 1 });
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
