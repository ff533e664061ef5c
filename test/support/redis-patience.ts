import { RedisConnection } from '../../src/common/redis/redis-connection';
import { eventually } from './eventually';
import type { TestApp } from './test-app';

/**
 * Has a connection wait for Redis as long as it takes, where a test counts on Redis: on a machine that stands still the
 * service would rightly go on without.
 */
export function waitForAnswers(connection: RedisConnection): void {
  connection.inTime = (answer) => answer;
  Object.assign(connection.client?.options ?? {}, { commandTimeout: undefined });
}

/** Resolves once an instance uses Redis, for which its start waits a second only, and has it wait for each answer. */
export async function untilShared({ app }: Pick<TestApp, 'app'>): Promise<void> {
  const connection = app.get(RedisConnection);
  waitForAnswers(connection);
  await eventually(() => connection.isUp);
}

/** Resolves once so many instances listen to a channel. */
export async function untilHeard({ app }: Pick<TestApp, 'app'>, channel: string, instances: number): Promise<void> {
  const client = app.get(RedisConnection).client!;
  await eventually(async () => {
    const [, listening] = await client.pubsub('NUMSUB', `chat-service:${client.options.db ?? 0}:${channel}`);
    return Number(listening) >= instances;
  });
}
