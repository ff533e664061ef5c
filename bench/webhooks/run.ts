import 'reflect-metadata';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Database } from '../../src/database/database';
import { WebhookDeliveryEntity } from '../../src/modules/webhook/delivery/webhook-delivery.entity';
import { newDelivery } from '../../src/modules/webhook/delivery/webhook-fan-out';
import { WebhookWorker } from '../../src/modules/webhook/delivery/webhook-worker';
import { WebhookEndpointEntity } from '../../src/modules/webhook/endpoint/webhook-endpoint.entity';
import { WebhookEventEntity } from '../../src/modules/webhook/outbox/webhook-event.entity';
import { createUser } from '../../test/support/accounts';
import { startMariadbServer } from '../../test/support/servers/mariadb-server';
import { createSqlDatabase } from '../../test/support/servers/sql-server';
import { startInstance, type TestApp } from '../../test/support/test-app';
import { WebhookClient } from '../../test/support/webhook-client';

/** Due deliveries, and the calls per second that the API handles at the same time. */
const DELIVERIES = 10_000;
const CALLS_PER_SECOND = 100;

/** Duration of the latency measurement before the load, and of the CPU measurement when idle, in milliseconds. */
const QUIET_MILLISECONDS = 10_000;

type Instance = Pick<TestApp, 'app' | 'origin' | 'url' | 'advanceClock'>;

interface Latencies {
  count: number;
  p50: number;
  p95: number;
}

async function measure(engine: string, databaseUrl: string, endpoints: number): Promise<object> {
  const instance = await startInstance({
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    DATABASE_URL: databaseUrl,
    JWT_SECRET: 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6',
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
    RATE_LIMIT_NORMAL: '10000000',
    RATE_LIMIT_ANONYMOUS: '10000000',
    RATE_LIMIT_AUTH: '10000000',
  });
  const receiver = fork(join(__dirname, 'receiver.js'), { execArgv: [] });
  const { port } = await answerOf<{ port: number }>(receiver);
  const ids = await fill(instance, `http://127.0.0.1:${port}/`, endpoints);
  const { token } = await createUser(instance);
  const caller = fork(join(__dirname, 'caller.js'), [`${instance.url}/auth/me`, token, String(CALLS_PER_SECOND)], {
    execArgv: [],
  });
  await delay(2_000);
  await ask<Latencies>(caller);
  await delay(QUIET_MILLISECONDS);
  const quiet = await ask<Latencies>(caller);
  const loop = performance.eventLoopUtilization();
  const busyCpu = process.cpuUsage();
  const begin = performance.now();
  const due = { isActive: true, nextDueAt: new Date() };
  await instance.app.get(Database).write((manager) => manager.update(WebhookEndpointEntity, ids, due));
  instance.app.get(WebhookWorker).wake();
  while ((await ask<{ received: number }>(receiver)).received < DELIVERIES) {
    await delay(20);
  }
  const seconds = (performance.now() - begin) / 1_000;
  const { utilization } = performance.eventLoopUtilization(loop);
  const spent = process.cpuUsage(busyCpu);
  const busy = await ask<Latencies>(caller);
  caller.disconnect();
  await delay(2_000);
  const cpu = process.cpuUsage();
  await delay(QUIET_MILLISECONDS);
  const { user, system } = process.cpuUsage(cpu);
  receiver.disconnect();
  await instance.app.close();
  return {
    engine,
    endpoints,
    deliveries_per_second: Math.round(DELIVERIES / seconds),
    cpu_ms_per_delivery: round((spent.user + spent.system) / 1_000 / DELIVERIES),
    event_loop_percent: Math.round(utilization * 100),
    api_p50_quiet_ms: round(quiet.p50),
    api_p50_busy_ms: round(busy.p50),
    api_p95_quiet_ms: round(quiet.p95),
    api_p95_busy_ms: round(busy.p95),
    idle_cpu_percent: round((user + system) / (QUIET_MILLISECONDS * 10)),
  };
}

/** Inserts due deliveries for endpoints that are not active yet. */
async function fill(instance: Instance, url: string, endpoints: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < endpoints) {
    const user = await createUser(instance);
    const client = new WebhookClient(instance, user);
    for (let place = 0; place < 3 && ids.length < endpoints; place++) {
      ids.push((await client.create(url, { events: ['agent.*'], is_active: false })).id);
    }
  }
  const database = instance.app.get(Database);
  const now = new Date();
  for (let start = 0; start < DELIVERIES; start += 500) {
    await database.write(async (manager) => {
      const events = Array.from({ length: 500 }, (_element, index) => ({
        publicId: `evt_${String(start + index).padStart(32, '0')}`,
        type: 'message.completed',
        userId: null,
        endpointId: ids[index % ids.length] ?? 0,
        data: { chat_id: 1, message_id: start + index, status: 'completed', text: 'x'.repeat(400) },
        content: null,
        occurredAt: now,
        dispatchedAt: now,
      }));
      await manager.insert(WebhookEventEntity, events);
      const stored = await manager.find(WebhookEventEntity, { order: { id: 'DESC' }, take: 500 });
      const deliveries = stored.map((event) => newDelivery(event.endpointId ?? 0, event, now));
      await manager.insert(WebhookDeliveryEntity, deliveries);
    });
  }
  return ids;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

async function answerOf<Answer>(child: ChildProcess): Promise<Answer> {
  const [message] = (await once(child, 'message')) as [Answer];
  return message;
}

function ask<Answer>(child: ChildProcess): Promise<Answer> {
  const answer = answerOf<Answer>(child);
  child.send('now');
  return answer;
}

async function run(): Promise<void> {
  for (const endpoints of [1, 100]) {
    const folder = await mkdtemp(join(tmpdir(), 'webhook-bench-'));
    console.log(await measure('sqlite', `sqlite:${join(folder, 'bench.sqlite')}`, endpoints));
    await rm(folder, { recursive: true });
    // On disk, like SQLite.
    process.env.TEST_DATABASES ??= tmpdir();
    const server = await startMariadbServer();
    const { url } = await createSqlDatabase(server.serverUrl);
    console.log(await measure('mariadb', url, endpoints));
    await server.stop();
  }
}

void run();
