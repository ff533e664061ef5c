import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from '../eventually';
import { GuardedProcess } from './guarded-process';
import { RedisServer } from './redis-server';
import { requireProgram } from './required-program';

const NAME = 'chat';
const SENTINELS = 3;
const SLOTS = 16_384;

/** Several related Redis servers, each in its own process. */
export interface RedisGroup {
  /** Value for REDIS_URL. */
  url: string;
  servers: RedisServer[];
  /** The servers that name the primary; a cluster has none. */
  sentinels: GuardedProcess[];
  stop(): Promise<void>;
}

/**
 * A primary and a replica, and three sentinels that elect another primary one second after the first one stopped
 * responding.
 */
export async function startRedisSentinels(): Promise<RedisGroup> {
  const primary = await RedisServer.open();
  const replica = await RedisServer.open(() => ['--replicaof', '127.0.0.1', `${primary.port}`]);
  await asked(replica.port, async (client) => /master_link_status:up/.test(await client.info('replication')));
  const sentinels = await Promise.all(Array.from({ length: SENTINELS }, () => startSentinel(primary.port)));
  for (const { port } of sentinels) {
    // They discover each other and the replica through the primary.
    const expected = new RegExp(`name=${NAME},status=ok,.*slaves=1,sentinels=${SENTINELS}`);
    await asked(port, async (client) => expected.test(await client.info('sentinel')));
  }
  return {
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${NAME}`,
    servers: [primary, replica],
    sentinels: sentinels.map(({ process }) => process),
    stop: async () => {
      await Promise.all(sentinels.map(({ process }) => process.close()));
      await Promise.all([primary.stop(), replica.stop()]);
    },
  };
}

/**
 * Three primaries that share the slots, each with a replica that replaces it a second or two after it stopped
 * responding.
 */
export async function startRedisCluster(): Promise<RedisGroup> {
  const more = (folder: string): string[] => [
    ...['--cluster-enabled', 'yes', '--cluster-node-timeout', '1000', '--cluster-replica-validity-factor', '0'],
    ...['--cluster-config-file', join(folder, 'nodes.conf'), '--cluster-allow-replica-migration', 'no'],
  ];
  const servers = await Promise.all(Array.from({ length: 6 }, () => RedisServer.open(more)));
  const clients = servers.map(({ port }) => new Redis(port, '127.0.0.1'));
  const [first] = servers;
  await Promise.all(clients.map((client) => client.cluster('MEET', '127.0.0.1', first?.port ?? 0)));
  const primaries = clients.slice(0, 3);
  const share = Math.ceil(SLOTS / primaries.length);
  for (const [index, client] of primaries.entries()) {
    const range = [index * share, Math.min(SLOTS, (index + 1) * share) - 1];
    await client.call('CLUSTER', 'ADDSLOTSRANGE', ...range);
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1).catch(() => undefined);
  }
  for (const [index, client] of clients.slice(3).entries()) {
    const id = String(await primaries[index]?.cluster('MYID'));
    await eventually(async () => String(await client.cluster('NODES')).includes(id));
    await eventually(() => client.cluster('REPLICATE', id).catch(() => false as const));
  }
  for (const client of clients) {
    await eventually(async () => /cluster_state:ok/.test(String(await client.cluster('INFO'))));
    await eventually(async () => String(await client.cluster('NODES')).split(/\bslave\b/).length === 4);
  }
  for (const client of clients.slice(3)) {
    await eventually(async () => /master_link_status:up/.test(await client.info('replication')));
  }
  clients.forEach((client) => client.disconnect());
  return {
    url: `redis+cluster://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    servers,
    sentinels: [],
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  };
}

async function startSentinel(primaryPort: number): Promise<{ port: number; process: GuardedProcess }> {
  const process = await GuardedProcess.open('chat-sentinel');
  const port = await process.startOnFreePort((candidate) => {
    const file = join(process.folder, 'sentinel.conf');
    writeFileSync(
      file,
      [
        `port ${candidate}`,
        'bind 127.0.0.1',
        `dir ${process.folder}`,
        `sentinel monitor ${NAME} 127.0.0.1 ${primaryPort} 2`,
        `sentinel down-after-milliseconds ${NAME} 1000`,
        `sentinel failover-timeout ${NAME} 5000`,
      ].join('\n'),
    );
    return {
      command: requireProgram('redis-server', 'apt-get install -y redis-server'),
      arguments: [file, '--sentinel'],
      ready: 'Sentinel ID is',
    };
  });
  return { port, process };
}

async function asked(port: number, isSo: (client: Redis) => Promise<boolean>): Promise<void> {
  const client = new Redis(port, '127.0.0.1');
  await eventually(() => isSo(client));
  client.disconnect();
}
