// @databases mariadb: two instances share one database
import { Clock } from '../../src/common/clock';
import { RedisConnection } from '../../src/common/redis/redis-connection';
import { Database } from '../../src/database/database';
import type { UsageRowDto } from '../../src/modules/admin/statistics/usage-statistics.dto';
import type { ApiKeyDto } from '../../src/modules/api-key/keys/api-key.dto';
import { ApiKeyRetention } from '../../src/modules/api-key/keys/api-key.retention';
import type { KeyDayDto } from '../../src/modules/api-key/own/key-usage.dto';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { UsageEntryEntity } from '../../src/modules/usage/usage-entry.entity';
import { createUser, type TestAccount } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { type Answer, call, expectFailure } from '../support/http';
import { untilShared } from '../support/redis-patience';
import { startRedisServer } from '../support/servers/redis-server';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance, startTestApp } from '../support/test-app';
import { useAdmin, useTestApp } from '../support/use-app';
import { untilNextNoon } from './usage-records';

const LIMIT = 1000;

describe('the limits of an API key', () => {
  const app = useTestApp({ RATE_LIMIT_NORMAL: '20', QUOTA_FREE_TOKENS: String(LIMIT), CONCURRENT_NORMAL: '100' });
  const admin = useAdmin(app);
  let owner: TestAccount;

  beforeAll(() => app.advanceClock(untilNextNoon(app)));

  beforeEach(async () => {
    owner = await createUser(app);
  });

  const list = (token: string) => call(`${app.url}/chat`, { token });
  const budget = ({ headers }: Answer) =>
    ['limit', 'remaining'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));
  const createChat = async (token: string) =>
    (await call<{ id: number }>(`${app.url}/chat`, { token, body: {} })).body.id;
  const send = (token: string, chatId: number) =>
    call<[MessageDto, MessageDto]>(`${app.url}/chat/message`, { token, body: { chat_id: chatId, content: 'Hello' } });
  const usage = async (id: number) =>
    (await call<KeyDayDto[]>(`${app.url}/user/api-keys/${id}/usage`, { token: owner.token })).body;

  it("are a request limit below its owner's, and the headers show the tighter one", async () => {
    const { key } = await makeKey(app, owner.token, { requests_per_minute: 3 });
    const { key: free } = await makeKey(app, owner.token);
    expect(budget(await list(key))).toEqual([3, 2]);
    expect(budget(await list(free))).toEqual([20, 16]);
    await list(key);
    expect(budget(await list(key))).toEqual([3, 0]);
    const refused = await list(key);
    expect(expectFailure(refused, 429, 'RATE_LIMIT_EXCEEDED').details).toEqual({ limit: 3 });
    expect(budget(refused)).toEqual([3, 0]);
    expect(budget(await list(free))).toEqual([20, 13]);
    await Promise.all(Array.from({ length: 20 }, () => list(key)));
    expect(budget(await list(owner.token))).toEqual([20, 12]);
    const { key: wide } = await makeKey(app, (await createUser(app)).token, { requests_per_minute: 30 });
    expect(budget(await list(wide))).toEqual([20, 18]);
    app.advanceClock(60_000);
    expect(budget(await list(key))).toEqual([3, 2]);
  });

  it('allow exactly the limit of many parallel requests', async () => {
    const { key } = await makeKey(app, owner.token, { requests_per_minute: 5 });
    const answers = await Promise.all(Array.from({ length: 30 }, () => list(key)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(25);
  });

  it('count a bad key for the client’s address, like a bad token', async () => {
    const answer = await list('ck_nothing');
    expectFailure(answer, 401, 'API_KEY_INVALID');
    expect(budget(answer)[0]).toBe(1_000_000);
  });

  it('are a daily token quota, which is checked before the model is called', async () => {
    const { id, key } = await makeKey(app, owner.token, { scopes: ['chat:write'], tokens_per_day: 10 });
    const { key: other } = await makeKey(app, owner.token, { scopes: ['chat:write'] });
    const chatId = await createChat(key);
    const first = await send(key, chatId);
    expect(first.status).toBe(200);
    const tokens = first.body[1].token_usage?.total_tokens ?? 0;
    expect(tokens).toBeGreaterThan(10);
    expect(first.headers.get('x-quota-tokens-remaining')).toBe('0');

    const refused = await send(key, chatId);
    const { details } = expectFailure(refused, 429, 'QUOTA_EXCEEDED');
    expect(details).toEqual({ quota: 'api_key_tokens', limit: 10, used: tokens, resets_at: expect.any(String) });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const again = await call(`${app.url}/chat/${chatId}/messages/${first.body[1].id}/regenerate`, {
      token: key,
      body: {},
    });
    expect(expectFailure(again, 429, 'QUOTA_EXCEEDED').details).toEqual(details);
    expect((await usage(id)).at(-1)).toMatchObject({ messages: 2, tokens });
    expect((await send(other, chatId)).status).toBe(200);

    app.advanceClock(24 * 3_600_000);
    expect((await send(key, chatId)).status).toBe(200);
  });

  it('are a quota that ends with its last token, and applies to the next request', async () => {
    const { id, key } = await makeKey(app, owner.token, { scopes: ['chat:write'], tokens_per_day: 1_000_000 });
    const chatId = await createChat(key);
    const tokens = (await send(key, chatId)).body[1].token_usage?.total_tokens ?? 0;
    const limitTo = (tokens_per_day: number) =>
      call(`${app.url}/user/api-keys/${id}`, { method: 'PUT', token: owner.token, body: { tokens_per_day } });
    expect((await limitTo(tokens)).status).toBe(200);
    expectFailure(await send(key, chatId), 429, 'QUOTA_EXCEEDED');
    expect((await limitTo(tokens + 1)).status).toBe(200);
    expect((await send(key, chatId)).status).toBe(200);
  });

  it('end at the quota of the owner', async () => {
    const { key } = await makeKey(app, owner.token, { scopes: ['chat:write'], tokens_per_day: 1_000_000 });
    const chatId = await createChat(key);
    let answer: Answer;
    do {
      app.advanceClock(60_000);
      answer = await send(key, chatId);
    } while (answer.status === 200);
    expect(expectFailure(answer, 429, 'QUOTA_EXCEEDED').details).toMatchObject({ quota: 'tokens', limit: LIMIT });
  });

  it('are separate in the ledger, in the usage of the key and in the report for administrators', async () => {
    const { id, key } = await makeKey(app, owner.token, { name: 'Counted', scopes: ['chat:write'] });
    const { id: unused } = await makeKey(app, owner.token);
    const chatId = await createChat(key);
    const byKey = await send(key, chatId);
    const byToken = await send(owner.token, chatId);
    const tokens = byKey.body[1].token_usage?.total_tokens ?? 0;
    const database = app.app.get(Database);
    for (const [answer, apiKeyId] of [[byKey, id] as const, [byToken, null] as const]) {
      for (const { id: messageId } of answer.body) {
        expect((await database.repository(UsageEntryEntity).findOneByOrFail({ messageId })).apiKeyId).toBe(apiKeyId);
        expect((await database.repository(MessageEntity).findOneByOrFail({ id: messageId })).apiKeyId).toBe(apiKeyId);
      }
    }
    const days = await usage(id);
    expect(days).toHaveLength(30);
    expect(days.slice(0, -1).every(({ messages }) => messages === 0)).toBe(true);
    const today = app.app.get(Clock).now().toISOString().slice(0, 10);
    expect(days.at(-1)).toEqual({ date: today, messages: 2, tokens });
    expect((await usage(unused)).at(-1)).toEqual({ date: today, messages: 0, tokens: 0 });

    const rows = await admin.items<UsageRowDto>('/admin/stats/usage?group_by=api_key');
    expect(rows.find(({ key: group }) => group === id)).toMatchObject({
      name: 'Counted',
      user_id: owner.user.id,
      chats: 1,
      messages: 2,
      user_messages: 1,
      tokens,
      failed_replies: 0,
    });
    expect(rows.map(({ key: group }) => group)).not.toContain(unused);
    const file = await admin.get('/admin/stats/usage?group_by=api_key&format=csv');
    expect(file.text).toContain('"api_key_id","name","user_id","chats","messages"');
    expect(file.text).toContain(`${id},"Counted",${owner.user.id},1,2,1,`);
  });

  it('count exactly during concurrent requests with several keys', async () => {
    const keys = await Promise.all([1, 2, 3].map(() => makeKey(app, owner.token, { scopes: ['chat:write'] })));
    app.advanceClock(60_000);
    const chats = await Promise.all(keys.flatMap(({ key }) => [createChat(key), createChat(key)]));
    const answers = await Promise.all(chats.map((chatId, index) => send(keys[index >> 1]!.key, chatId)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    for (const [index, { id }] of keys.entries()) {
      const tokens = [0, 1].map((n) => answers[2 * index + n]!.body[1].token_usage?.total_tokens ?? 0);
      expect((await usage(id)).at(-1)).toMatchObject({ messages: 4, tokens: tokens[0]! + tokens[1]! });
    }
  });
});

// A SQLite file has one process.
if (databaseEngine() !== 'sqlite') {
  describe('the request limit of an API key, and its last use,', () => {
    it('count over all instances that share Redis', async () => {
      const redis = await startRedisServer();
      const first = await startTestApp({ REDIS_URL: redis.url });
      const second = await startInstance(first.environment);
      try {
        await Promise.all([first, second].map(({ app }) => untilShared(app.get(RedisConnection))));
        const { token } = await createUser(first);
        const { key } = await makeKey(first, token, { requests_per_minute: 4 });
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_element, index) =>
            call(`${(index % 2 === 0 ? first : second).url}/chat`, { token: key }),
          ),
        );
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);

        const { key: shared, id } = await makeKey(first, token);
        const lastUse = async ({ url }: Pick<typeof first, 'url'>) => {
          const { body } = await call<ApiKeyDto[]>(`${url}/user/api-keys`, { token });
          return Date.parse(body.find((one) => one.id === id)?.last_used_at ?? '');
        };
        const uses: number[] = [];
        for (const [user, reader] of [[first, second] as const, [second, first] as const]) {
          const began = Date.now();
          await call(`${user.url}/chat`, { token: shared });
          await user.app.get(ApiKeyRetention).keepUp();
          const stored = await lastUse(reader);
          expect(stored).toBeGreaterThanOrEqual(began);
          uses.push(stored);
        }
        // The first one, which has nothing new to store, overwrites nothing.
        await first.app.get(ApiKeyRetention).keepUp();
        expect([await lastUse(first), await lastUse(second)]).toEqual([uses[1], uses[1]]);
      } finally {
        await second.app.close();
        await first.close();
        await redis.stop();
      }
    });
  });
}
