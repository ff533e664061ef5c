import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { jsonContains } from '../../../database/statements/json-contains';
import { readNumbers, readRows } from '../../../database/statements/long-reads';
import { idList } from '../../../database/statements/rows-by-id';
import { keysWithText } from '../../../database/statements/text-search';
import type { IndexAnswer } from '../../../integrations/text-index/candidates';
import type { ListChatsQueryDto } from '../chats/list-chats-query.dto';
import { SEARCHED_TEXT } from './indexed-messages';
import { MessageIndex } from './message-index';
import { MessageScan } from './message-scan';
import { StepSize } from './step-size';

type Filter = Pick<ListChatsQueryDto, 'is_archived' | 'is_pinned' | 'agent_id' | 'tag'>;

/** Finds the conversations of a user by their text. */
@Injectable()
export class ChatSearch {
  constructor(
    private readonly database: Database,
    private readonly index: MessageIndex,
  ) {}

  /**
   * The ids of the conversations outside of the trash that have the text in their title, or in a message of their current
   * line; the one with the newest message or edit comes first.
   *
   * @param text without white space around it
   * @param filter what else is asked of the conversations
   */
  async find(userId: number, text: string, filter: Filter): Promise<number[]> {
    const { rows, parameters } = chatsOf(this.database, userId, filter);
    const [ids, titled, answer] = await Promise.all([
      readNumbers(this.database, 'id', `${rows} ORDER BY updated_at DESC, id DESC`, parameters),
      keysWithText(this.database, { key: 'id', column: 'title', rows, parameters }, text),
      this.index.candidates(userId, text),
    ]);
    const search = new Search(this.database, text, ids, titled);
    if (answer === null) {
      const counts = await readRows(this.database, `SELECT id, message_count FROM ${rows}`, parameters);
      await search.scan(counts.map(([id, messages]) => ({ id: Number(id), messages: Number(messages) })));
    } else {
      await search.confirm(answer, userId);
    }
    return search.found;
  }
}

/** One search: which of the conversations have the text is not known yet for those in `left`. */
class Search {
  private readonly left: Set<number>;

  constructor(
    private readonly database: Database,
    private readonly text: string,
    private readonly ids: number[],
    titled: number[],
  ) {
    this.left = new Set(ids);
    this.settle(titled);
  }

  get found(): number[] {
    return this.ids.filter((id) => !this.left.has(id));
  }

  /** Reads all messages. */
  async scan(chats: { id: number; messages: number }[]): Promise<void> {
    const scan = new MessageScan(chats.filter(({ id }) => this.left.has(id)));
    this.settle(await scan.run((step) => keysWithText(this.database, step, this.text)));
  }

  /** Reads the messages that the index names, and those that it does not know yet. */
  async confirm({ lastId, newestId, candidates }: IndexAnswer, userId: number): Promise<void> {
    const size = new StepSize();
    const isOfUser = 'EXISTS (SELECT 1 FROM chats WHERE chats.id = chat_messages.chat_id AND chats.user_id = ?)';
    for (let id = lastId; id < newestId;) {
      const end = id + size.rows;
      await this.read(size, `id > ? AND id <= ? AND ${isOfUser}`, [id, end, userId]);
      id = end;
    }
    const firstOf = (chatId: number): number[] => {
      const first = candidates.of(chatId).next();
      return first.done ? [] : [first.value];
    };
    // Mostly the newest candidate has the text. Then no other of its conversation is read.
    await this.readMessages(size, candidates.groupIds.filter((id) => this.left.has(id)).flatMap(firstOf));
    for (const chatId of candidates.groupIds.filter((id) => this.left.has(id))) {
      await this.readMessages(size, [...candidates.of(chatId)].slice(1));
    }
  }

  private async readMessages(size: StepSize, ids: number[]): Promise<void> {
    for (let start = 0; start < ids.length;) {
      const batch = ids.slice(start, start + size.rows);
      start += batch.length;
      await this.read(size, `id IN ${idList(batch)}`, []);
    }
  }

  private async read(size: StepSize, condition: string, parameters: number[]): Promise<void> {
    const rows = `chat_messages WHERE ${condition} AND is_current = 1`;
    const source = { key: 'chat_id', column: SEARCHED_TEXT, rows, parameters };
    this.settle(await size.measure(() => keysWithText(this.database, source, this.text)));
  }

  private settle(found: number[]): void {
    found.forEach((id) => this.left.delete(id));
  }
}

function chatsOf(
  { manager }: Database,
  userId: number,
  { is_archived, is_pinned, agent_id, tag }: Filter,
): { rows: string; parameters: (number | string)[] } {
  const conditions = ['user_id = ? AND deleted_at IS NULL'];
  const parameters: (number | string)[] = [userId];
  if (is_archived !== undefined) {
    conditions.push('is_archived = ?');
    parameters.push(is_archived ? 1 : 0);
  }
  if (is_pinned !== undefined) {
    conditions.push('is_pinned = ?');
    parameters.push(is_pinned ? 1 : 0);
  }
  if (agent_id !== undefined) {
    conditions.push('agent_id = ?');
    parameters.push(agent_id);
  }
  if (tag !== undefined) {
    conditions.push(jsonContains(manager, 'tags', '?'));
    parameters.push(tag);
  }
  return { rows: `chats WHERE ${conditions.join(' AND ')}`, parameters };
}
