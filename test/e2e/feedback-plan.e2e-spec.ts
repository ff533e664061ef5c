// @databases mariadb mysql: query plans
import { Between } from 'typeorm';
import { Database } from '../../src/database/database';
import { FeedbackQuery } from '../../src/modules/chat/chat.api';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { explain } from '../support/servers/explain';
import { useOwnChatApp } from '../support/use-app';

const CHATS = 60;
const MESSAGES = 100;
/** One message in this number has a rating. */
const RATED_PART = 20;

const STARTED_AT = Date.parse('2026-03-01T00:00:00.000Z');
const ratedAt = (place: number): Date => new Date(STARTED_AT + place * 60_000);

type Filter = Parameters<FeedbackQuery['page']>[0];

interface Statement {
  sql: string;
  parameters: unknown[];
}

describe('the list of feedback', () => {
  const app = useOwnChatApp();
  const database = () => app.app.get(Database);

  beforeAll(async () => {
    const client = await app.newClient();
    for (let chat = 0; chat < CHATS; chat++) {
      const { id } = await client.createChat({ agent_id: (chat % 5) + 1 });
      await app.storeMessages(id, MESSAGES);
    }
    await database().write(async (manager) => {
      const messages = await manager.find(MessageEntity, { select: { id: true } });
      const rated = messages.filter((_message, index) => index % RATED_PART === 1);
      for (const [index, { id }] of rated.entries()) {
        const rating = index % 3 === 0 ? ('dislike' as const) : ('like' as const);
        await manager.update(MessageEntity, id, { feedbackRating: rating, feedbackAt: ratedAt(index) });
      }
    });
    if (database().isShared) {
      // The server itself does this from time to time.
      await database().write((manager) => manager.query('ANALYZE TABLE chats, chat_messages'));
    }
  });

  /** The statements of `read` that search for ratings. */
  async function statementsOf(read: () => Promise<unknown>): Promise<Statement[]> {
    const { logger } = database().manager.connection;
    const logged = jest.spyOn(logger, 'logQuery');
    await read();
    const statements = logged.mock.calls.map(([sql, parameters]) => ({ sql, parameters: parameters as unknown[] }));
    logged.mockRestore();
    return statements.filter(({ sql }) => /feedback_at["`] IS NOT NULL/.test(sql));
  }

  /** How the engine accesses the messages. `Using index`, or a covering one, means that it reads no message. */
  async function accessOf({ sql, parameters }: Statement): Promise<string[]> {
    if (database().isShared) {
      type Access = { table: string; type: string; key: string | null; Extra: string };
      const rows = await explain<Access>(app, sql, parameters);
      return rows
        .filter(({ table }) => table === 'message')
        .map(({ type, key, Extra }) => `${type} ${key} ${/Using index(?! condition)/.exec(Extra)?.[0]}`);
    }
    const rows = await explain<{ detail: string }>(app, sql, parameters);
    return rows.map(({ detail }) => detail).filter((detail) => / message |ORDER BY/.test(detail));
  }

  function expectIndex(access: string[]): void {
    if (database().isShared) {
      expect(access).toEqual(['range ix_chat_messages_feedback_at Using index']);
      return;
    }
    const [search, ...sorting] = access;
    expect(search).toMatch(/^SEARCH message USING COVERING INDEX ix_chat_messages_feedback_at \(feedback_at/);
    // Only ratings from the same millisecond are sorted by their id.
    expect([[], ['USE TEMP B-TREE FOR RIGHT PART OF ORDER BY']]).toContainEqual(sorting);
  }

  const between = Between(ratedAt(0), ratedAt(CHATS * MESSAGES));
  it.each<[string, Filter]>([
    ['all', {}],
    ['those of one kind', { rating: 'dislike' }],
    ['those of one agent', { agentId: 2 }],
    ['those of a period', { ratedAt: between }],
    ['those of one kind, one agent and a period', { rating: 'like', agentId: 2, ratedAt: between }],
  ])('reads %s from the index of the ratings', async (_which, filter) => {
    const query = app.app.get(FeedbackQuery);
    const statements = await statementsOf(async () => {
      const { items, total } = await query.page(filter, { offset: 10, limit: 5 });
      expect(items).toHaveLength(5);
      expect(total).toBeGreaterThan(15);
      await query.batch(filter, 5);
      await query.batch(filter, 5, items[4]);
    });
    expect(statements).toHaveLength(4);
    for (const statement of statements) {
      expectIndex(await accessOf(statement));
    }
  });
});
