import { databaseOf } from '../../src/common/redis/redis-client';
import { type RedisConnection } from '../../src/common/redis/redis-connection';
import { REDIS_KEY_PREFIX } from '../../src/common/redis/redis-options';
import { eventually } from './eventually';

/**
 * Has a connection wait for Redis as long as it takes, where a test counts on Redis: on a machine that stands still the
 * service would rightly go on without.
 */
function waitForAnswers(connection: RedisConnection): void {
  connection.inTime = (answer) => answer;
  Object.assign(connection.client?.options ?? {}, { commandTimeout: undefined });
}

/** Resolves once a connection works, for which the start of an instance waits a second only, and makes it wait. */
export async function untilShared(connection: RedisConnection): Promise<void> {
  waitForAnswers(connection);
  await eventually(() => connection.isUp);
}

/** Resolves once so many instances listen to a channel. */
export async function untilHeard({ client }: RedisConnection, channel: string, instances: number): Promise<void> {
  await eventually(async () => {
    const answer = await client?.pubsub('NUMSUB', `${REDIS_KEY_PREFIX}${databaseOf(client)}:${channel}`);
    return Number(answer?.[1]) >= instances;
  });
}
