import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { queryRows } from '../../../database/statements/query';
import { ReplyPieces } from '../../generation/generation.api';
import { MessageEntity } from '../conversations/message.entity';
import { MESSAGE_BYTES, shareOut } from '../messages/page-bytes';

/** How many messages a list shows of each conversation. */
const MESSAGES_PER_CHAT = 50;

/** A row of a statement that says how large the newest messages of conversations are. */
interface SizeRow {
  chat_id: number;
  position: number;
  id: number;
  bytes: number | string;
}

/** The newest messages of several conversations. */
@Injectable()
export class NewestMessagesQuery {
  constructor(
    private readonly database: Database,
    private readonly pieces: ReplyPieces,
  ) {}

  /**
   * Two statements for all conversations: the first tells how many messages of each fit into the page. The part for each
   * conversation stops after its newest messages, so the cost does not grow with the number of messages. The cost of a
   * ranking over all messages would.
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
    // Joined, because MariaDB would run a condition `IN (…)` for every row of the table.
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

/** SQL for columns of the newest messages of a conversation. */
function newestOf(chatId: number, columns: string, count: number): string {
  return (
    `SELECT * FROM (SELECT ${columns} FROM chat_messages WHERE chat_id = ${chatId} AND is_current = 1 ` +
    `ORDER BY position DESC, id DESC LIMIT ${count}) newest_${chatId}`
  );
}
