import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { readNumbers } from '../../../database/read-numbers';
import { keysWithText } from '../../../database/text-search';
import type { ListChatsQueryDto } from '../chats/list-chats-query.dto';
import { MessageScan } from './message-scan';

/** Finds the conversations of a user by their text. */
@Injectable()
export class ChatSearch {
  constructor(private readonly database: Database) {}

  /**
   * The ids of the conversations outside of the trash that have the text in their title, or in a message of their current
   * line; the one with the newest message or edit comes first.
   *
   * @param text without white space around it
   * @param filter what else is asked of the conversations
   */
  async find(
    userId: number,
    text: string,
    filter: Pick<ListChatsQueryDto, 'is_archived' | 'agent_id'>,
  ): Promise<number[]> {
    const { condition, parameters } = conditionOf(userId, filter);
    const ordered = `chats WHERE ${condition} ORDER BY updated_at DESC, id DESC`;
    const chats = await readNumbers(this.database, ['id', 'message_count'], ordered, parameters);
    const titled = { key: 'id', column: 'title', rows: `chats WHERE ${condition}`, parameters };
    const found = new Set(await keysWithText(this.database, titled, text));
    const others = chats.map(([id = 0, messages = 0]) => ({ id, messages })).filter(({ id }) => !found.has(id));
    const written = await new MessageScan(others).run((step) => keysWithText(this.database, step, text));
    written.forEach((id) => found.add(id));
    return chats.map(([id = 0]) => id).filter((id) => found.has(id));
  }
}

function conditionOf(
  userId: number,
  { is_archived, agent_id }: Pick<ListChatsQueryDto, 'is_archived' | 'agent_id'>,
): { condition: string; parameters: number[] } {
  const conditions = ['user_id = ? AND deleted_at IS NULL'];
  const parameters = [userId];
  if (is_archived !== undefined) {
    conditions.push('is_archived = ?');
    parameters.push(is_archived ? 1 : 0);
  }
  if (agent_id !== undefined) {
    conditions.push('agent_id = ?');
    parameters.push(agent_id);
  }
  return { condition: conditions.join(' AND '), parameters };
}
