// @databases mariadb: requests at the same time
import { Database } from '../../src/database/database';
import { addToCounters } from '../../src/database/statements/upsert-counters';
import { ChatEntity } from '../../src/modules/chat/conversations/chat.entity';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { PersonalDataRegistry } from '../../src/modules/user/personal-data/personal-data-registry';
import { createUser } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { uniqueContent } from '../support/chat-client';
import { turnsDuring } from '../support/event-turns';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { UnreadAnswer } from '../support/unread-answer';
import { useChatApp } from '../support/use-app';

const app = useChatApp();

describe('the export', () => {
  it('has all data stored about the user, and no secret', async () => {
    const account = await createUser(app);
    await call(`${app.url}/user/upgrade`, { method: 'POST', token: account.token, body: { plan_id: 'monthly' } });
    await call(`${app.url}/user/profile`, { method: 'PUT', token: account.token, body: { bio: 'Says "hi"' } });
    const answer = await call<Record<string, object[]>>(`${app.url}/user/export`, { token: account.token });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="export-${account.user.id}.json"`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { exported_at, user_id, ...data } = answer.body;
    expect(exported_at).toMatch(/^\d{4}-.*Z$/);
    expect(user_id).toBe(account.user.id);
    const names = app.app.get(PersonalDataRegistry).sources.map(({ name }) => name);
    expect(Object.keys(data)).toEqual([...new Set(names)]);
    expect(data.account).toEqual([expect.objectContaining({ email: account.email, bio: 'Says "hi"', settings: {} })]);
    expect(data.sessions).toHaveLength(1);
    expect(answer.text).not.toMatch(/argon2|hash|family/);
  });

  it('shows for each message, and its cost, the key that sent it', async () => {
    const { token } = await createUser(app);
    const key = await makeKey(app, token, { name: 'Sender', scopes: ['chat:write'] });
    const { body } = await call<{ id: number }>(`${app.url}/chat`, { token, body: {} });
    for (const sender of [token, key.key]) {
      await call(`${app.url}/chat/message`, { token: sender, body: { chat_id: body.id, content: uniqueContent() } });
    }
    const data = (await call<Record<string, object[]>>(`${app.url}/user/export`, { token })).body;
    const expected = [null, null, key.id, key.id].map(
      (api_key_id) => expect.objectContaining({ api_key_id }) as object,
    );
    expect(data.messages).toEqual(expected);
    expect(data.usage_by_message).toEqual(expected);
    const replies = data.costs?.filter((cost) => (cost as { kind: string }).kind === 'reply');
    expect(replies).toMatchObject([
      { api_key_id: null, api_key: null },
      { api_key_id: key.id, api_key: { id: key.id, name: 'Sender' } },
    ]);
  });

  it('has the sums of a day by agents and models, in any order of arrival', async () => {
    const { token, user } = await createUser(app);
    const keys = ['b', 'a', ''].map((model) => ({ day: 20_000, user_id: user.id, agent_id: 1, model }));
    for (const key of keys) {
      await app.app.get(Database).write((manager) => addToCounters(manager, 'usage_rollups', key, { messages: 1 }));
    }
    const data = (await call<Record<string, { model: string }[]>>(`${app.url}/user/export`, { token })).body;
    expect(data.usage_by_day?.map(({ model }) => model)).toEqual([null, 'a', 'b']);
  });

  it('yields to other requests while it reads many messages, with files or without', async () => {
    const { token, user } = await createUser(app);
    const { id } = (await call<{ id: number }>(`${app.url}/chat`, { token, body: {} })).body;
    await app.storeMessages(id, 2_000);
    const parts = [{ type: 'text', text: 'No file.' } as const];
    await app.app.get(Database).write((manager) => manager.update(MessageEntity, { chatId: id }, { parts }));
    for (const name of ['messages', 'files']) {
      const sources = app.app.get(PersonalDataRegistry).sources.filter((one) => one.name === name);
      let rows = 0;
      const turns = await turnsDuring(async () => {
        for (const source of sources) {
          for await (const _row of source.rows(user.id)) {
            rows++;
          }
        }
      });
      expect([name, rows]).toEqual([name, name === 'messages' ? 2_000 : 0]);
      expect([name, turns >= 10]).toEqual([name, true]);
    }
  });

  it('runs at most twice concurrently, until one is finished or disconnected', async () => {
    const { token, user } = await createUser(app);
    const { id } = (await call<{ id: number }>(`${app.url}/chat`, { token, body: {} })).body;
    await app.storeMessages(id, 1);
    const parts = [{ type: 'text', text: 'x'.repeat(8_000_000) } as const];
    await app.app.get(Database).write((manager) => manager.update(MessageEntity, { chatId: id }, { parts }));
    const ask = () => call(`${app.url}/user/export`, { token });
    const unread = await Promise.all([1, 2].map(() => UnreadAnswer.ask(`${app.url}/user/export`, token)));
    await Promise.all(unread.map((answer) => answer.begins()));
    const { details, retry_after } = expectFailure(await ask(), 429, 'TOO_MANY_CONCURRENT');
    expect([details, retry_after]).toEqual([{ limit: 2 }, 5]);
    const other = await createUser(app);
    expect((await call(`${app.url}/user/export`, { token: other.token })).status).toBe(200);
    unread[0]?.end();
    await eventually(async () => (await ask()).status === 200);
    expect((await ask()).body).toMatchObject({ user_id: user.id });
    unread[1]?.end();
  });

  it('is limited to six downloads an hour', async () => {
    const { token } = await createUser(app);
    const ask = () => call(`${app.url}/user/export`, { token });
    for (let count = 0; count < 6; count++) expect((await ask()).status).toBe(200);
    expect(expectFailure(await ask(), 429, 'RATE_LIMIT_EXCEEDED').details).toEqual({ limit: 6 });
    expect((await call(`${app.url}/user/export`, { token: (await createUser(app)).token })).status).toBe(200);
  });

  it('reads long tables to their end', async () => {
    const account = await createUser(app);
    const { body } = await call<{ id: number }>(`${app.url}/chat`, { token: account.token, body: {} });
    await app.app.get(Database).write(async (manager) => {
      const { id: _id, ...chat } = await manager.findOneByOrFail(ChatEntity, { id: body.id });
      await manager.insert(
        ChatEntity,
        Array.from({ length: 224 }, () => ({ ...chat })),
      );
    });
    const answer = await call<Record<string, { id: number }[]>>(`${app.url}/user/export`, { token: account.token });
    const ids = (answer.body.chats ?? []).map(({ id }) => id);
    expect(ids).toHaveLength(225);
    expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
  });

  it('breaks off where it fails, so that a part is not mistaken for the whole', async () => {
    const account = await createUser(app);
    const [source] = app.app.get(PersonalDataRegistry).sources.slice(-1);
    jest.spyOn(source!, 'rows').mockImplementation(() => {
      throw new Error('the table is gone');
    });
    await expect(call(`${app.url}/user/export`, { token: account.token })).rejects.toThrow();
  });

  it('and the erasure cover every table that may contain a user, by a `*.personal-data.ts` in its module', async () => {
    const { dataSource } = app.app.get(Database).manager;
    const runner = dataSource.createQueryRunner();
    const withUsers: string[] = [];
    for (const { columns, tableName } of dataSource.entityMetadatas) {
      // Files that ran before in this process may have defined entities that no migration knows.
      if (columns.some(({ databaseName }) => databaseName === 'user_id') && (await runner.hasTable(tableName))) {
        withUsers.push(tableName);
      }
    }
    await runner.release();
    const { sources } = app.app.get(PersonalDataRegistry);
    const covered = sources
      .flatMap(({ entities }) => entities)
      .map((entity) => dataSource.getMetadata(entity).tableName);
    expect(withUsers.length).toBeGreaterThan(20);
    expect([...withUsers, 'users'].filter((table) => !covered.includes(table))).toEqual([]);
  });
});
