import { setTimeout as delay } from 'node:timers/promises';
import { ActingTrial } from '../support/acting-trial/acting-trial';
import { startMariadbServer } from '../support/servers/mariadb-server';
import { type RedisServer, startRedisServer } from '../support/servers/redis-server';
import type { SqlServer } from '../support/servers/sql-server';

const TIMES = 3;
const AWAY_MILLISECONDS = 6_000;
const BETWEEN_MILLISECONDS = 2_000;

describe('agents that call tools, in a service whose store or dependency is down for a while', () => {
  let server: SqlServer;
  let redis: RedisServer;
  let trial: ActingTrial;

  beforeAll(async () => {
    [server, redis] = await Promise.all([startMariadbServer(), startRedisServer()]);
    const database = { url: server.url, drop: () => server.stop() };
    trial = await ActingTrial.start({ REDIS_URL: redis.url, SHUTDOWN_GRACE_SECONDS: '0' }, database);
  });

  afterAll(async () => {
    await trial.close();
    await redis.stop();
  });

  it.each<[string, (index: number) => Promise<unknown>]>([
    [
      'database hangs',
      async () => {
        await server.freeze();
        await delay(AWAY_MILLISECONDS);
        server.resume();
      },
    ],
    [
      'Redis is gone',
      async () => {
        await redis.stop();
        await delay(AWAY_MILLISECONDS);
        await redis.restart();
      },
    ],
    ['instance is ended as operators do', () => trial.restart(0)],
    ['instance stalls for longer than its lease', (index) => trial.standStill(index % 2, AWAY_MILLISECONDS)],
  ])('whose %s, repeat no action silently, lose no result, and finish or ask', async (_what, disturb) => {
    await trial.writeWhile(async () => {
      for (let index = 0; index < TIMES; index++) {
        await delay(BETWEEN_MILLISECONDS);
        await disturb(index);
      }
      await delay(BETWEEN_MILLISECONDS);
    });
    process.stdout.write(`${trial.effects.effects.length} effects, replies: ${JSON.stringify(trial.ended)}\n`);
    expect({ faults: trial.faults, strange: trial.model.strange }).toEqual({ faults: [], strange: [] });
  });
});
