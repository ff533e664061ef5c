import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { updateRows } from '../../../database/row-statements';
import type { ChatEntity } from './chat.entity';
import { lineThrough } from './line-through';
import { MessageEntity } from './message.entity';

/** How many messages one statement changes. */
const BATCH = 500;

/** The end of a line, and how many messages it has. */
export type LineEnd = Pick<ChatEntity, 'lineEndId' | 'messageCount'>;

interface Row {
  id: number;
  parent_id: number | null;
  role: string;
  token_count: number;
  is_current: number;
}

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
    const rows: Row[] = await manager.query(
      'SELECT id, parent_id, role, token_count, is_current FROM chat_messages WHERE chat_id = ? ORDER BY id',
      [chatId],
    );
    const messages = rows.map(({ id, parent_id, role, token_count }) => ({
      id,
      parentId: parent_id,
      hasWords: role === 'user' || token_count > 0,
    }));
    const line = lineThrough(messages, messageId);
    const onLine = new Set(line);
    const changed = (isCurrent: boolean): number[] =>
      rows
        .filter((row) => onLine.has(row.id) === isCurrent && (row.is_current === 1) !== isCurrent)
        .map(({ id }) => id);
    await mark(manager, changed(false), false);
    await mark(manager, changed(true), true);
    return { lineEndId: line.at(-1) ?? null, messageCount: line.length };
  }
}

async function mark(manager: EntityManager, ids: number[], isCurrent: boolean): Promise<void> {
  for (let start = 0; start < ids.length; start += BATCH) {
    await manager.update(MessageEntity, { id: In(ids.slice(start, start + BATCH)) }, { isCurrent });
  }
}
