import { Injectable } from '@nestjs/common';
import { UserTurns } from '../../../common/load/user-turns';
import { Database } from '../../../database/database';
import { jsonContains } from '../../../database/statements/json-contains';
import { readNumbers, readRows } from '../../../database/statements/long-reads';
import { keysWithText } from '../../../database/statements/text-search';
import type { GroupSize } from '../../../integrations/text-index/group-scan';
import type { ListChatsQueryDto } from '../chats/list-chats-query.dto';
import type { ChatMatchDto } from './chat-match.dto';
import { MatchQuery } from './match.query';
import { MessageIndex } from './message-index';

type Filter = Pick<ListChatsQueryDto, 'is_archived' | 'is_pinned' | 'agent_id' | 'tag'>;

type Page = Pick<ListChatsQueryDto, 'limit' | 'offset'>;

/** A page of the conversations that contain a text. */
export interface FoundChats {
  /** The IDs, by the time of the newest message or edit, newest first. */
  ids: number[];
  total: number;
  /** By conversation; none if only the title contains the text. */
  matches: Map<number, ChatMatchDto>;
}

/** The maximum number of concurrent searches. One thread reads SQLite; a database server has its own processors. */
const MOST_ON_SQLITE = 1;
const MOST_ON_SERVER = 8;

/** The maximum number of waiting searches, in total and per user. Each user's searches run one at a time. */
const MOST_WAITING = 1_000;
const OF_EACH = { running: 1, waiting: 60 };

/** Searches the conversations of a user. */
@Injectable()
export class ChatSearch {
  private readonly turns: UserTurns;

  constructor(
    private readonly database: Database,
    private readonly index: MessageIndex,
    private readonly matches: MatchQuery,
  ) {
    const running = database.isShared ? MOST_ON_SERVER : MOST_ON_SQLITE;
    this.turns = new UserTurns({ running, waiting: MOST_WAITING }, OF_EACH);
  }

  /**
   * Finds the conversations outside of the trash that contain the text in their title or in a message, earlier versions
   * included.
   *
   * @param text without surrounding white space
   * @param filter additional conditions, and the page
   * @throws RateLimitExceededError, ServiceUnavailableError when too many searches wait
   */
  find(userId: number, text: string, filter: Filter & Page): Promise<FoundChats> {
    return this.turns.run(userId, () => this.search(userId, text, filter));
  }

  private async search(userId: number, text: string, { limit, offset, ...filter }: Filter & Page): Promise<FoundChats> {
    const { rows, parameters } = chatsOf(this.database, userId, filter);
    const sizes = (): Promise<GroupSize[]> => this.sizes(rows, parameters);
    const [ids, titled, messages] = await Promise.all([
      readNumbers(this.database, 'id', `${rows} ORDER BY updated_at DESC, id DESC`, parameters),
      keysWithText(this.database, { key: 'id', column: 'title', rows, parameters }, text),
      this.index.search(userId, text),
    ]);
    const found = new Set(titled);
    const untitled = ids.filter((id) => !found.has(id));
    const written = await messages.among(untitled, sizes);
    written.forEach((id) => found.add(id));
    const all = ids.filter((id) => found.has(id));
    const page = all.slice(offset, offset + limit);
    const shown = await messages.locate(page, sizes, 'is_current = 1');
    const others = page.filter((id) => !shown.has(id));
    const hidden = await messages.locate(others, sizes, 'is_current = 0');
    const messageIds = page.flatMap((id) => shown.get(id) ?? hidden.get(id) ?? []);
    return { ids: page, total: all.length, matches: await this.matches.of(messageIds, text) };
  }

  private async sizes(rows: string, parameters: (number | string)[]): Promise<GroupSize[]> {
    const counts = await readRows(this.database, `SELECT id, message_count FROM ${rows}`, parameters);
    return counts.map(([id, documents]) => ({ id: Number(id), documents: Number(documents) }));
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
    conditions.push(jsonContains(manager, 'tags'));
    parameters.push(tag);
  }
  return { rows: `chats WHERE ${conditions.join(' AND ')}`, parameters };
}
