import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../../database/database';
import { readRows } from '../../../database/statements/long-reads';
import { idList } from '../../../database/statements/rows-by-id';
import type { IndexedDocuments, NewDocument } from '../../../integrations/text-index/indexed-documents';
import { ChatEntity } from '../conversations/chat.entity';
import { MessageEntity } from '../conversations/message.entity';

/** SQL of the text of a message that is searched: what it says, and the names of its files. */
export const SEARCHED_TEXT = `CASE WHEN file_names IS NULL THEN content ELSE CONCAT(content, '\n', file_names) END`;

/** The messages of all users for the index: groups are their conversations. */
@Injectable()
export class IndexedMessages implements IndexedDocuments {
  readonly table = 'chat_messages';

  constructor(private readonly database: Database) {}

  async after(manager: EntityManager, id: number, before: Date, limit: number): Promise<NewDocument[]> {
    const rows = await manager
      .createQueryBuilder(MessageEntity, 'message')
      .withDeleted()
      // A conversation that is gone leaves no user.
      .leftJoin(ChatEntity, 'chat', 'chat.id = message.chat_id')
      .select('message.id', 'id')
      .addSelect('message.chat_id', 'groupId')
      .addSelect('chat.user_id', 'ownerId')
      .addSelect('LENGTH(message.content)', 'length')
      .addSelect("message.status = 'streaming' OR message.created_at > :before", 'isOpen')
      .where('message.id > :id', { id, before })
      .orderBy('message.id')
      .limit(limit)
      .getRawMany<Record<keyof NewDocument, number | null>>();
    return rows.map((row) => ({
      id: Number(row.id),
      groupId: Number(row.groupId),
      ownerId: row.ownerId,
      length: Number(row.length),
      isOpen: Number(row.isOpen) === 1,
    }));
  }

  async lengths(ids: readonly number[]): Promise<Map<number, number>> {
    const rows = await readRows(
      this.database,
      `SELECT id, LENGTH(content) FROM chat_messages WHERE id IN ${idList(ids)}`,
    );
    return new Map(rows.map(([id, length]) => [Number(id), Number(length)]));
  }

  async texts(ids: readonly number[]): Promise<Map<number, string>> {
    const rows = await readRows(
      this.database,
      `SELECT id, ${SEARCHED_TEXT} FROM chat_messages WHERE id IN ${idList(ids)}`,
    );
    return new Map(rows.map(([id, text]) => [Number(id), String(text)]));
  }
}
