import { databaseOf } from '../../src/common/redis/redis-client';
import { type RedisConnection } from '../../src/common/redis/redis-connection';
import { REDIS_KEY_PREFIX } from '../../src/common/redis/redis-options';
import { eventually } from './eventually';

/**
 * Lets a connection wait for Redis as long as necessary, if a test depends on Redis: on a machine that stalls, the
 * service would rightly continue without it.
 */
function waitForAnswers(connection: RedisConnection): void {
  connection.inTime = (answer) => answer;
  Object.assign(connection.client?.options ?? {}, { commandTimeout: undefined });
}

/** Resolves once a connection works, for which the start of an instance waits only a second, and makes it wait. */
export async function untilShared(connection: RedisConnection): Promise<void> {
  waitForAnswers(connection);
  await eventually(() => connection.isUp);
}

/** Resolves once this number of instances listens to a channel. */
export async function untilHeard({ client }: RedisConnection, channel: string, instances: number): Promise<void> {
  await eventually(async () => {
    const answer = await client?.pubsub('NUMSUB', `${REDIS_KEY_PREFIX}${databaseOf(client)}:${channel}`);
    return Number(answer?.[1]) >= instances;
  });
}
