import { createUser } from '../support/accounts';
import { ServiceProcess } from '../support/chat-process';
import { type Answer, call, type ErrorAnswer } from '../support/http';
import { createMigratedDatabase } from '../support/servers/migrated-database';
import type { TestDatabase } from '../support/servers/sql-server';
import { startTestApp } from '../support/test-app';

const CLIENTS = 600;
const SECONDS = 10;

describe('many more requests than the built service can answer', () => {
  let database: TestDatabase;
  let service: ServiceProcess;
  let token: string;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    const app = await startTestApp({ DATABASE_URL: database.url });
    ({ token } = await createUser(app));
    await app.close();
    service = await ServiceProcess.start(app.environment);
  });

  afterAll(async () => {
    await service.end('SIGTERM');
    await database.drop();
  });

  it('are answered or refused with a Retry-After, none is lost, and probes are answered', async () => {
    const end = performance.now() + SECONDS * 1_000;
    const statuses = new Map<number, number>();
    const refusals: Answer[] = [];
    const ask = async () => {
      while (performance.now() < end) {
        const answer = await call(`${service.url}/chat`, { token });
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (answer.status !== 200) refusals.push(answer);
      }
    };
    const probes: number[] = [];
    const probe = async () => {
      while (performance.now() < end) {
        const { status } = await call(new URL('/health/live', service.url).href);
        probes.push(status);
      }
    };
    await Promise.all([probe(), ...Array.from({ length: CLIENTS }, ask)]);
    process.stdout.write(`answers by status: ${JSON.stringify([...statuses])}\n`);
    expect(statuses.get(200)).toBeGreaterThan(0);
    expect([...statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    for (const { headers, body } of refusals) {
      expect((body as ErrorAnswer).error.code).toBe('SERVICE_OVERLOADED');
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    expect(new Set(probes)).toEqual(new Set([200]));
  });
});
