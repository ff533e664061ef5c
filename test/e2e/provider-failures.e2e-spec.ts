// @databases mariadb: two instances share one database
import { Logger } from '@nestjs/common';
import type { BackgroundLoop } from '../../src/common/background/background-loop';
import { RedisConnection } from '../../src/common/redis/redis-connection';
import { BackgroundWork } from '../../src/database/background-work';
import { Database } from '../../src/database/database';
import { ModelFactEntity } from '../../src/integrations/llm/providers/model-fact.entity';
import type { ProviderDto } from '../../src/modules/admin/providers/provider.dto';
import type { UsageRowDto } from '../../src/modules/admin/statistics/usage-statistics.dto';
import type { DependencyDto } from '../../src/modules/health/health.dto';
import { newcomer } from '../support/accounts';
import { type ChatClient, uniqueContent } from '../support/chat-client';
import { parseCsv } from '../support/csv';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import type { ModelScript } from '../support/model-server/model-server';
import { OPENAI_MAX_TOKENS } from '../support/model-server/refusals/parameter-refusals';
import { TOOL_CALL_ONLY } from '../support/model-server/refusals/tool-calls';
import { untilHeard, untilShared } from '../support/redis-patience';
import { startRedisServer } from '../support/servers/redis-server';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance, type TestApp } from '../support/test-app';
import { useAdmin, useChatApp } from '../support/use-app';
import { createProvider } from './provider-requests';

const KEY = 'environment-key-nobody-sees';

describe('a model that fails', () => {
  const app = useChatApp({ LLM_API_KEY: KEY });
  const admin = useAdmin(app);
  let client: ChatClient;

  beforeAll(async () => {
    client = await app.newClient();
  });

  const REFUSED: ModelScript = { status: 401, body: `{"error":{"message":"Wrong key ${KEY}."}}` };
  const BROKEN: ModelScript = { steps: [{ text: 'half' }, { error: { code: 500, message: 'Overloaded.' } }] };

  async function failedLogs(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
    const logged: unknown[][] = [];
    const spies = (['error', 'warn', 'log'] as const).map((level) =>
      jest
        .spyOn(Logger.prototype, level)
        .mockImplementation((...parts: unknown[]) => void logged.push([level, ...parts])),
    );
    await work();
    spies.forEach((spy) => spy.mockRestore());
    expect(JSON.stringify(logged)).not.toContain(KEY);
    // All log entries about the failure, at any level that operators read.
    return logged
      .filter((parts) => /failed|PROVIDER_ERROR|Wrong key|Overloaded/.test(JSON.stringify(parts)))
      .map(([level, facts]) => ({ level, ...(facts as object) }));
  }

  describe.each<[string, ModelScript, string, number | null, string]>([
    ['before the first token', REFUSED, 'PROVIDER_ERROR', 401, 'Wrong key [key].'],
    ['in mid-stream', BROKEN, 'PROVIDER_ERROR', 500, 'Overloaded'],
  ])('%s', (_when, script, code, status, said) => {
    it.each(['', '?stream=true', '?stream_format=sse'])(
      'is logged once, with its chain of causes (%s)',
      async (query) => {
        const chat = await client.createChat();
        const content = uniqueContent();
        await app.model.script({ key: content, ...script });
        let requestId: string | null = null;
        const entries = await failedLogs(async () => {
          const body = { chat_id: chat.id, content };
          requestId = (await client.request(`/chat/message${query}`, { body })).headers.get('x-request-id');
          await eventually(async () => (await client.read(chat.id)).active_message_id === null);
        });
        const { messages } = await client.read(chat.id);
        expect(entries).toEqual([
          {
            level: 'error',
            request_id: requestId,
            chat_id: chat.id,
            message_id: messages[1]?.id,
            user_id: expect.any(Number),
            provider: 'default',
            model: 'scripted',
            host: `127.0.0.1:${app.model.port}`,
            code,
            status,
            provider_message: expect.stringContaining(said),
          },
        ]);
      },
    );
  });

  it('and succeeds at another attempt is not a failed reply', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, status: 500, times: 1 });
    const chat = await client.createChat();
    const entries = await failedLogs(async () => expect((await client.send(chat.id, content)).status).toBe(200));
    expect(entries).toEqual([]);
  });

  it('is in the usage report, and in its file', async () => {
    const model = `failing-${newcomer().username}`;
    const agent = await admin.post<{ id: number }>('/agents', { name: newcomer().username, model });
    for (const script of [REFUSED, BROKEN, {}]) {
      const chat = await client.createChat({ agent_id: agent.body.data.id });
      const content = uniqueContent();
      await app.model.script({ key: content, ...script });
      await client.request('/chat/message', { body: { chat_id: chat.id, content } });
      await eventually(async () => (await client.read(chat.id)).active_message_id === null);
    }
    const rows = await admin.items<UsageRowDto>('/admin/stats/usage?group_by=model');
    expect(rows.find(({ key }) => key === model)).toMatchObject({ messages: 3, failed_replies: 2 });
    const { text } = await admin.get('/admin/stats/usage?group_by=model&format=csv');
    expect(parseCsv(text).rows.find((row) => row['model'] === model)).toMatchObject({ failed_replies: '2' });
    const metrics = await call<string>(`${app.origin}/metrics`);
    const line = `replies_failed_total{provider="default",model="${model}",reason="provider_error"} 2`;
    expect(metrics.text.split('\n')).toContain(line);
  });

  describe('shows in the health status', () => {
    async function health(): Promise<DependencyDto> {
      const { status, body, text } = await call<{ checks: { model_provider: DependencyDto } }>(`${app.origin}/health`);
      expect(status).toBe(200);
      expect(text).not.toMatch(/Wrong key|Overloaded|environment-key/);
      return body.checks.model_provider;
    }

    async function ask(script: ModelScript): Promise<void> {
      const content = uniqueContent();
      await app.model.script({ key: content, ...script });
      await client.send((await client.createChat()).id, content);
    }

    it.each<[ModelScript, string]>([
      [REFUSED, 'key_refused'],
      [{ status: 403 }, 'key_refused'],
      [{ status: 404 }, 'not_found'],
      [{ status: 429 }, 'limited'],
      [{ status: 500 }, 'failed'],
      [{ cut: true }, 'unreachable'],
      [BROKEN, 'failed'],
    ])('as down until it answers again, while the service stays ready (case %#)', async (script, reason) => {
      await ask({});
      const up = await health();
      expect(up).toEqual({
        status: 'up',
        required: false,
        detail: 'default (openai-compatible)',
        checked_at: expect.any(String),
      });
      await ask(script);
      expect(await health()).toEqual({ ...up, status: 'down', reason, checked_at: expect.any(String) });
      await ask({});
      expect(await health()).toMatchObject({ status: 'up' });
    });

    it('but not for a refused request', async () => {
      await ask({ status: 400, body: 'no such parameter' });
      expect(await health()).toMatchObject({ status: 'up' });
      const { data } = (await admin.get<ProviderDto>('/admin/providers/default')).body;
      expect(data.last_outcome).toMatchObject({ ok: false, status: 400, message: 'no such parameter' });
    });

    it('but not for a model that only calls a tool', async () => {
      await ask(TOOL_CALL_ONLY.openai);
      expect(await health()).toMatchObject({ status: 'up' });
    });
  });

  if (databaseEngine() !== 'sqlite') {
    describe('on two instances', () => {
      const provider = () => ({ name: newcomer().username, kind: 'demo' });
      const knows = async ({ url }: Pick<TestApp, 'url'>, name: string): Promise<boolean> => {
        const token = admin.account.token;
        const { body } = await call<{ data: { items: { provider: string }[] } }>(`${url}/admin/models`, { token });
        return body.data.items.some((item) => item.provider === name);
      };

      it('is soon replaced everywhere after a change on one', async () => {
        const second = await startInstance(app.environment);
        const made = await admin.post<ProviderDto>('/admin/providers', provider());
        const { id, name } = made.body.data;
        expect(await knows(app, name)).toBe(true);
        await eventually(() => knows(second, name));
        await admin.delete(`/admin/providers/${id}`);
        await eventually(async () => !(await knows(second, name)));
        await second.app.close();
      });

      it('is called by the second in the form that the first has learned', async () => {
        const key = uniqueContent();
        await app.model.script({ key, refuses: [OPENAI_MAX_TOKENS], steps: [{ text: 'fine' }] });
        const { id, name } = await createProvider(app, admin);
        const ask = async ({ url }: Pick<TestApp, 'url'>): Promise<void> => {
          const { token } = admin.account;
          const { text } = await call(`${url}/admin/providers/${id}/test`, { token, body: { content: key } });
          expect(text).toContain('"ok":true');
        };
        await ask(app);
        const facts = app.app.get(Database).repository(ModelFactEntity);
        await eventually(async () => (await facts.countBy({ provider: name })) === 1);
        const second = await startInstance(app.environment);
        await ask(second);
        expect(await app.model.requests(key)).toHaveLength(3);
        await second.app.close();
      });

      it('is replaced as soon as Redis reports it', async () => {
        const redis = await startRedisServer();
        const environment = { ...app.environment, REDIS_URL: redis.url };
        const [first, second] = await Promise.all([startInstance(environment), startInstance(environment)]);
        for (const instance of [first, second]) {
          await untilShared(instance.app.get(RedisConnection));
          const { loops } = instance.app.get<BackgroundWork, { loops: BackgroundLoop[] }>(BackgroundWork);
          await Promise.all(loops.map((loop) => loop.stop()));
        }
        await untilHeard(first.app.get(RedisConnection), 'model_providers', 2);
        const body = provider();
        await call(`${first.url}/admin/providers`, { token: admin.account.token, body });
        await eventually(() => knows(second, body.name), 20);
        await Promise.all([first.app.close(), second.app.close()]);
        await redis.stop();
      });
    });
  }
});
