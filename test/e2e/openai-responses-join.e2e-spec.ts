// @databases mariadb: two instances share one database
import { RedisConnection } from '../../src/common/redis/redis-connection';
import { OpenAI } from '../clients/openai';
import { createUser } from '../support/accounts';
import { modelEnvironment } from '../support/chat-app';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { ServiceProcess } from '../support/chat-process';
import { eventually } from '../support/eventually';
import { type ModelServer, type ModelStep, startModelServer } from '../support/model-server/model-server';
import { checkEvent } from '../support/open-responses/check';
import { counted, numbersOf, readRest, readSome } from '../support/open-responses/cut-stream';
import { endOwnerLeases } from '../support/owner-leases';
import { untilHeard, untilShared } from '../support/redis-patience';
import { createMigratedDatabase } from '../support/servers/migrated-database';
import { startRedisServer } from '../support/servers/redis-server';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance, startTestApp } from '../support/test-app';

const SETTINGS = { RATE_LIMIT_NORMAL: '100000', CONCURRENT_NORMAL: '100', QUOTA_FREE_MESSAGES: '1000' };
const MODEL = 'General assistant';

/** Every feature of a response, in some 70 events over half a second. A summary comes first. */
const STEPS: ModelStep[] = [
  { reasoning: 'Let me ' },
  { reasoning: 'think.' },
  { repeat: { text: 'word ', count: 20, delay: 10 } },
  { toolCall: { name: 'get_weather', arguments: '{"city":' } },
  { delay: 100 },
  { toolArguments: '"Rome"}' },
  { toolCall: { name: 'files__apply_patch', arguments: '{"input":"*** Begin ' } },
  { delay: 50 },
  { toolArguments: '\\n\\u00e9\\ud83d\\ude00"}' },
];

const TOOLS = {
  tools: [{ type: 'namespace', name: 'files', tools: [{ type: 'custom', name: 'apply_patch' }] }],
  context_management: [{ type: 'compaction', compact_threshold: 1 }],
};

const clientOf = (origin: string, token: string): OpenAI =>
  new OpenAI({ apiKey: token, baseURL: new URL('/openai/v1', origin).href, maxRetries: 0 });

async function scripted(model: ModelServer): Promise<{ model: string; input: string }> {
  const input = uniqueContent('join');
  await model.script({ key: input, times: 1, steps: [{ text: 'In short.' }] });
  await model.script({ key: input, steps: STEPS });
  return { model: MODEL, input, ...TOOLS };
}

/** Cuts a stream after one event and joins it at any event: nothing is lost or repeated. */
async function cutAndJoin(model: ModelServer, here: OpenAI, there: OpenAI, count: number): Promise<void> {
  const { id, events } = await readSome(here, await scripted(model), count);
  const all = [...events, ...(await readRest(there, id, events))];
  all.forEach(checkEvent);
  expect(numbersOf(all)).toEqual(counted(all.length));
  expect(all.at(-1)?.type).toBe('response.completed');
  expect(await readRest(there, id, [])).toEqual(all);
  const words = all.filter(({ type }) => type === 'response.output_text.delta').map(({ delta }) => delta);
  expect(words.join('')).toBe('word '.repeat(20));
  const patch = all.filter(({ type }) => type === 'response.custom_tool_call_input.delta').map(({ delta }) => delta);
  expect(patch.join('')).toBe('*** Begin \né😀');
  expect(all[3]).toMatchObject({ type: 'response.output_item.done', item: { type: 'compaction' } });
}

describe('an interrupted stream', () => {
  it('is joined by the OpenAI client after any event', async () => {
    const model = await startModelServer();
    const app = await startTestApp({ ...modelEnvironment(model), ...SETTINGS });
    const { token } = await createUser(app);
    const client = clientOf(app.origin, token);
    await Promise.all(counted(45).map((place) => cutAndJoin(model, client, client, place + 1)));
    // The same after the end of the response.
    const { id, events } = await readSome(client, await scripted(model), 1_000);
    const rests = await Promise.all(
      counted(events.length).map((place) => readRest(client, id, events.slice(0, place + 1))),
    );
    rests.forEach((rest, place) => expect(rest).toEqual(events.slice(place + 1)));
    await app.close();
    await model.close();
  });

  it('by a kill of the service is joined at the next one, which reports its end', async () => {
    const model = await startModelServer();
    const database = await createMigratedDatabase();
    const app = await startTestApp({ DATABASE_URL: database.url, ...modelEnvironment(model), ...SETTINGS });
    const { token } = await createUser(app);
    await app.close();
    const killed = await ServiceProcess.start(app.environment);
    const input = uniqueContent('kill');
    const steps = [{ repeat: { text: 'word ', count: 30, delay: 5 } }, { hold: input }, { stall: true as const }];
    await model.script({ key: input, steps });
    const { id, events } = await readSome(clientOf(killed.url, token), { model: MODEL, input }, 34);
    const chat = new ChatClient(killed.url, token);
    const [{ id: chatId }] = (await chat.request<[{ id: number }]>('/chat')).body;
    await eventually(async () => (await chat.read(chatId)).messages[1]?.content !== '');
    await killed.end('SIGKILL');
    await endOwnerLeases(database.url);
    const next = await startInstance(app.environment);
    const client = clientOf(next.origin, token);
    await eventually(async () => (await client.responses.retrieve(id)).status === 'failed');
    const rest = await readRest(client, id, events);
    rest.forEach(checkEvent);
    expect(numbersOf(rest)[0]).toBeGreaterThan(events.at(-1)?.sequence_number ?? 0);
    expect(rest.at(-1)).toMatchObject({ type: 'response.failed', response: { id, error: { code: 'server_error' } } });
    const whole = await readRest(client, id, []);
    expect(numbersOf(whole)).toEqual(counted(whole.length));
    expect(whole.slice(2, 5)).toEqual(events.slice(2, 5));
    await next.app.close();
    await model.close();
    await database.drop();
  });
});

if (databaseEngine() !== 'sqlite') {
  describe.each([true, false])('on another instance, with Redis: %s', (hasRedis) => {
    it('is joined after any event', async () => {
      const model = await startModelServer();
      const redis = hasRedis ? await startRedisServer() : undefined;
      const settings = { ...modelEnvironment(model), ...SETTINGS, ...(redis && { REDIS_URL: redis.url }) };
      const app = await startTestApp(settings);
      const second = await startInstance(app.environment);
      if (hasRedis) {
        const connections = [app, second].map((instance) => instance.app.get(RedisConnection));
        await Promise.all(connections.map(untilShared));
        await Promise.all(connections.map((connection) => untilHeard(connection, 'replies.watch', 2)));
      }
      const { token } = await createUser(app);
      const there = clientOf(second.url, token);
      await Promise.all(counted(25).map((place) => cutAndJoin(model, clientOf(app.origin, token), there, place + 1)));
      // After a cut, fetch opens a new connection and sends nothing: the server would wait a minute for its request.
      app.app.getHttpServer().closeAllConnections();
      await second.app.close();
      await app.close();
      await redis?.stop();
      await model.close();
    });
  });
}
