import { RedisConnection } from '../../src/common/redis/redis-connection';
import { SERVICE_VERSION } from '../../src/common/service-version';
import { newcomer } from '../support/accounts';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { untilShared } from '../support/redis-patience';
import { type RedisServer, startRedisServer } from '../support/servers/redis-server';
import { startTestApp, type TestApp } from '../support/test-app';

interface Report {
  status: string;
  checks: Record<
    'database' | 'redis' | 'mail' | 'model_provider' | 'knowledge',
    { status: string; required: boolean; checked_at?: string }
  >;
}

describe('/health', () => {
  let app: TestApp;
  let redis: RedisServer;

  // Each test stops a dependency permanently.
  beforeEach(async () => {
    redis = await startRedisServer();
    app = await startTestApp({ REDIS_URL: redis.url });
    await untilShared(app.app.get(RedisConnection));
  });

  afterEach(async () => {
    await app.close();
    await redis.stop();
  });

  const report = async () => (await call<Report>(`${app.origin}/health`)).body;
  const stateOf = async (name: keyof Report['checks']) => (await report()).checks[name].status;

  it('reports that all is well', async () => {
    expect(await report()).toMatchObject({
      status: 'ok',
      version: SERVICE_VERSION,
      checks: {
        database: { status: 'up', required: true },
        redis: { status: 'up', required: false },
        mail: { status: 'up', required: false },
        knowledge: { status: 'up', required: false, detail: 'words' },
      },
    });
  });

  it('reports when the mail server was probed, as far as it was', async () => {
    const askedAt = async () => (await report()).checks.mail.checked_at;
    await eventually(async () => (await askedAt()) !== undefined);
    expect(Date.now() - Date.parse((await askedAt())!)).toBeLessThan(60_000);
  });

  it('reports that Redis is down, which is optional', async () => {
    await redis.stop();
    await eventually(async () => (await stateOf('redis')) === 'down');
    expect(await report()).toMatchObject({ status: 'ok', checks: { mail: { status: 'up' } } });
  });

  it('reports that the mail server is down, and continues', async () => {
    await app.mails.refuseConnections();
    await call(`${app.url}/auth/send_code`, { body: { email: newcomer().email, purpose: 'register' } });
    await eventually(async () => (await stateOf('mail')) === 'down');
    expect(await report()).toMatchObject({ status: 'ok', checks: { database: { status: 'up' } } });
    expect((await call(`${app.origin}/health/ready`)).status).toBe(200);
  });
});
