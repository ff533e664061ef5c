import { setTimeout as delay } from 'node:timers/promises';
import { createUser } from '../support/accounts';
import { modelEnvironment } from '../support/chat-app';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { startModelServer } from '../support/model-server/model-server';
import { type RedisGroup, startRedisCluster, startRedisSentinels } from '../support/servers/redis-groups';
import { createTestDatabase } from '../support/servers/test-database';
import { tryStore } from '../support/store-trial';
import { startInstance, startTestApp } from '../support/test-app';

const SECONDS = 20;
const WORDS = 40;

/** The short form is `src/common/redis/redis-groups.spec.ts`. */
describe.each([
  ['behind sentinels', startRedisSentinels],
  ['as a cluster', startRedisCluster],
])('two instances whose Redis loses its primary, %s', (_name, startRedis) => {
  let redis: RedisGroup;

  beforeEach(async () => {
    redis = await startRedis();
  });

  afterEach(() => redis.stop());

  it('lose and duplicate nothing during writes', async () => {
    const database = await createTestDatabase();
    const { acknowledged, refused, ...wrong } = await tryStore({
      urls: [database.url, database.url],
      seconds: SECONDS,
      environment: { REDIS_URL: redis.url },
      disturb: async () => {
        await delay((SECONDS * 1_000) / 3);
        await redis.servers[0]?.stop();
      },
    });
    process.stdout.write(`${acknowledged} messages acknowledged, ${refused} requests refused and repeated\n`);
    expect(wrong).toEqual({ stale: [], lost: [], doubled: [], torn: [], faults: [] });
    expect(acknowledged).toBeGreaterThan(SECONDS);
    await database.drop();
  });

  it('send the full reply to a reader who joined it on the other one', async () => {
    const model = await startModelServer();
    const app = await startTestApp({ ...modelEnvironment(model), REDIS_URL: redis.url });
    const other = await startInstance(app.environment);
    const { token } = await createUser(app);
    const client = new ChatClient(app.url, token);
    const content = uniqueContent();
    const words = Array.from({ length: WORDS }, (_word, index) => [{ delay: 200 }, { text: `word ${index} ` }]).flat();
    await model.script({ key: content, steps: [{ text: 'Begun. ' }, ...words] });
    const chat = await client.createChat();
    const stream = await client.stream(chat.id, content);
    await stream.until('Begun. ');
    const joined = await new ChatClient(other.url, token).join(chat.id);
    await joined.until('Begun. ');
    await redis.servers[0]?.stop();
    const late = await new ChatClient(other.url, token).join(chat.id);
    const [here, ...there] = await Promise.all([stream.plain(), joined.plain(), late.plain()]);
    expect(here.text).toMatch(/^Begun\. word 0 .*word 39 $/);
    expect(there.map(({ text, trailer }) => [text, trailer.status])).toEqual(there.map(() => [here.text, 'completed']));
    await eventually(async () => (await client.read(chat.id)).messages[1]?.content === here.text);
    await other.app.close();
    await app.close();
    await model.close();
  });
});
