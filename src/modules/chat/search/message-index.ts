import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { gauge } from '../../../common/metrics/metrics';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import type { IndexedDocuments, NewDocument } from '../../../integrations/text-index/indexed-documents';
import { TextIndex } from '../../../integrations/text-index/text-index';
import { ChatEntity } from '../conversations/chat.entity';
import { MessageEntity, SEARCH_TABLES } from '../conversations/message.entity';

/** The text of a message and the names of its files. */
export const SEARCHED_TEXT = `CASE WHEN file_names IS NULL THEN content ELSE CONCAT(content, '\n', file_names) END`;

/** The messages of all users, grouped by conversation. */
const MESSAGES: IndexedDocuments = {
  table: 'chat_messages',
  columns: {
    group: 'chat_id',
    place: 'position',
    text: SEARCHED_TEXT,
    length: 'LENGTH(content)',
  },
  // Other versions too.
  isFound: '1 = 1',
  isOfOwner: 'EXISTS (SELECT 1 FROM chats WHERE chats.id = chat_messages.chat_id AND chats.user_id = ?)',
  // An approved call continues a reply that waits for a person.
  mayChange: "status IN ('streaming', 'requires_action')",

  async after(manager, id, limit) {
    const rows = await manager
      .createQueryBuilder(MessageEntity, 'message')
      .withDeleted()
      // An erased conversation has no user.
      .leftJoin(ChatEntity, 'chat', 'chat.id = message.chat_id')
      .select('message.id', 'id')
      .addSelect('message.chat_id', 'groupId')
      .addSelect('chat.user_id', 'ownerId')
      .addSelect('LENGTH(message.content)', 'length')
      .addSelect("message.status = 'streaming'", 'isOpen')
      .where('message.id > :id', { id })
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
  },
};

/** Finds messages of a user that may contain a text, and checks them. */
@Injectable()
export class MessageIndex extends TextIndex {
  constructor(database: Database, clock: SharedClock, background: BackgroundWork) {
    super({ database, clock, background }, MESSAGES, SEARCH_TABLES);
    gauge('search_index_lag_messages', 'Messages that are in no segment of the search yet', () => this.lag());
    gauge('search_segments_waiting', 'Parts of the index of the search that wait to be built', () => this.waiting());
  }

  /** Removes conversations from the index, after their messages are erased and before they are erased themselves. */
  async removeChats(chatIds: number[]): Promise<void> {
    const chats = await this.database
      .repository(ChatEntity)
      .find({ select: { id: true, userId: true }, where: { id: In(chatIds) }, withDeleted: true });
    await this.removeGroups([...new Set(chats.map(({ userId }) => userId))], chatIds);
  }
}
