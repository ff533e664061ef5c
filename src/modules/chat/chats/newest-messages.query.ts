import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { queryRows } from '../../../database/statements/query';
import { ReplyPieces } from '../../generation/generation.api';
import { MessageEntity } from '../conversations/message.entity';
import { MESSAGE_BYTES, shareOut } from '../messages/page-bytes';

/** The most messages that a list shows of each conversation. */
const MESSAGES_PER_CHAT = 50;

/** The size of one of the newest messages. */
interface SizeRow {
  chat_id: number;
  position: number;
  id: number;
  bytes: number | string;
}

/** Reads the newest messages of several conversations. */
@Injectable()
export class NewestMessagesQuery {
  constructor(
    private readonly database: Database,
    private readonly pieces: ReplyPieces,
  ) {}

  /**
   * Runs a constant number of statements for all conversations. The first selects how many messages of each fit into
   * the page. Each subquery stops after the newest messages of its conversation, so the cost does not grow with the
   * number of messages, unlike a ranking over all of them.
   */
  async find(chatIds: number[]): Promise<MessageEntity[]> {
    const counts = await this.countsThatFit(chatIds);
    const newest = chatIds.flatMap((id, index) => {
      const count = counts[index] ?? 0;
      return count === 0 ? [] : newestOf(id, 'id', count);
    });
    if (newest.length === 0) {
      return [];
    }
    // A join, because MariaDB would run a condition `IN (…)` for every row of the table.
    const messages = this.database
      .repository(MessageEntity)
      .createQueryBuilder('message')
      .innerJoin(`(${newest.join(' UNION ALL ')})`, 'newest', 'newest.id = message.id');
    const found = await messages.orderBy('message.position').addOrderBy('message.id').getMany();
    return this.pieces.complete(MessageEntity, found);
  }

  private async countsThatFit(chatIds: number[]): Promise<number[]> {
    if (chatIds.length === 0) {
      return [];
    }
    const columns = `chat_id, position, id, ${MESSAGE_BYTES} AS bytes`;
    const parts = chatIds.map((id) => newestOf(id, columns, MESSAGES_PER_CHAT));
    const rows = await queryRows<SizeRow>(this.database.manager, parts.join(' UNION ALL '));
    rows.sort((one, other) => other.position - one.position || other.id - one.id);
    const byChat = new Map(chatIds.map((id) => [id, [] as number[]]));
    rows.forEach(({ chat_id, bytes }) => byChat.get(chat_id)?.push(Number(bytes)));
    return shareOut([...byChat.values()]);
  }
}

/** SQL that selects columns of the newest messages of a conversation. */
function newestOf(chatId: number, columns: string, count: number): string {
  return (
    `SELECT * FROM (SELECT ${columns} FROM chat_messages WHERE chat_id = ${chatId} AND is_current = 1 ` +
    `ORDER BY position DESC, id DESC LIMIT ${count}) newest_${chatId}`
  );
}
