import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { runStatement } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import type { ChatEntity } from './chat.entity';
import { type BranchingMessage, lineThrough } from './line-through';
import { MessageEntity } from './message.entity';

/** How many messages one statement reads, and how many it changes. Between two statements other requests have their turn. */
const READ_AT_ONCE = 2_000;
const CHANGED_AT_ONCE = 500;

/** Conversation, id, most rows. */
const MESSAGES =
  'SELECT id, parent_id, role, token_count, is_current FROM chat_messages WHERE chat_id = ? AND id > ? ORDER BY id LIMIT ?';

/** The end of a line, and how many messages it has. */
export type LineEnd = Pick<ChatEntity, 'lineEndId' | 'messageCount'>;

interface LineMessage extends BranchingMessage {
  isCurrent: boolean;
}

/** The cells of `MESSAGES`. */
type MessageRow = [id: number, parentId: number | null, role: string, tokens: number, isCurrent: number];

/**
 * Changes which messages are on the current line of a conversation. A message can have several versions, and each version
 * has its own messages after it. One path through them is the current line. All methods run within `Database.write`. They do
 * not write the row of the conversation: the caller does, with a condition that lets only one of two parallel changes pass.
 *
 * This folder has the tables of the module, from `chat.entity.ts` and `message.entity.ts` on, and what keeps them consistent.
 */
@Injectable()
export class ConversationLine {
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

async function readAll(manager: EntityManager, chatId: number): Promise<LineMessage[]> {
  const messages: LineMessage[] = [];
  for (let hasMore = true; hasMore;) {
    const { rows } = await runStatement(manager, MESSAGES, [chatId, messages.at(-1)?.id ?? 0, READ_AT_ONCE]);
    for (const [id, parentId, role, tokens, isCurrent] of rows as MessageRow[]) {
      messages.push({ id, parentId, hasWords: role === 'user' || tokens > 0, isCurrent: isCurrent === 1 });
    }
    hasMore = rows.length === READ_AT_ONCE;
    await nextTurn();
  }
  return messages;
}

async function mark(manager: EntityManager, ids: number[], isCurrent: boolean): Promise<void> {
  for (let start = 0; start < ids.length; start += CHANGED_AT_ONCE) {
    await updateRows(manager, MessageEntity, { isCurrent }, { id: In(ids.slice(start, start + CHANGED_AT_ONCE)) });
    await nextTurn();
  }
}
