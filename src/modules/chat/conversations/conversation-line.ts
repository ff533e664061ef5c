import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { updateRows } from '../../../database/row-statements';
import type { ChatEntity } from './chat.entity';
import { lineThrough } from './line-through';
import { MessageEntity } from './message.entity';

/** Messages that are changed by one statement. */
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
 * Which of a conversation's messages are its current line. Versions of a message stand side by side, each followed by its
 * own; one path through them is current. All methods run within `Database.write`, and leave the conversation's own row to
 * the caller, whose condition on it keeps two changes at once apart.
 */
@Injectable()
export class ConversationLine {
  /** Takes everything from a place on off the line, but for one message. */
  async cut(manager: EntityManager, chatId: number, position: number, keptId: number): Promise<void> {
    await updateRows(
      manager,
      MessageEntity,
      { isCurrent: false },
      'chat_id = ? AND position >= ? AND is_current = 1 AND id <> ?',
      [chatId, position, keptId],
    );
  }

  /** Makes the line through a message the current one; below the message it goes on by what was written last. */
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
