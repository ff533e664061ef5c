// @databases sqlite: the limits are in Redis
import { Clock } from '../../src/common/clock';
import { RedisConnection } from '../../src/common/redis/redis-connection';
import { type Answer, call, expectFailure } from '../support/http';
import { untilShared } from '../support/redis-patience';
import { startRedisServer } from '../support/servers/redis-server';
import { startInstance, startTestApp, type TestApp } from '../support/test-app';
import { useTestApp } from '../support/use-app';

const LIMITS = { RATE_LIMIT_ANONYMOUS: '60', RATE_LIMIT_AUTH: '30' };

describe('the rate limit of callers without a token', () => {
  const app = useTestApp({ ...LIMITS, TRUST_PROXY: '1' });
  const from = (address: string) => ({ 'x-forwarded-for': address });
  /** Each test has its own address, and so its own limit. */
  let headers: Record<string, string>;
  let tests = 0;

  beforeEach(() => {
    headers = from(`192.0.2.${++tests}`);
  });

  afterEach(() => app.resetClock());

  it('accepts exactly 60 of 200 parallel requests over several routes', async () => {
    const routes = ['/chat', '/user/profile', '/nothing', '/chat/1', '/agents'];
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_element, index) => call(`${app.url}${routes[index % routes.length]}`, { headers })),
    );
    expect(answers.filter(({ status }) => status !== 429)).toHaveLength(60);
    const refused = answers.filter(({ status }) => status === 429);
    for (const answer of refused) {
      const error = expectFailure(answer, 429, 'RATE_LIMIT_EXCEEDED');
      expect(error.retry_after).toBeGreaterThanOrEqual(1);
      expect(Number(answer.headers.get('retry-after'))).toBe(error.retry_after);
    }
    answers.forEach(expectLimitHeaders);
    const remaining = answers.map((answer) => Number(answer.headers.get('x-ratelimit-remaining')));
    expect(new Set(remaining)).toEqual(new Set(Array.from({ length: 60 }, (_element, index) => index)));
  });

  it('counts invalid bodies, bad tokens and unknown routes, and not what operators and readers need', async () => {
    await call(`${app.url}/nothing`, { headers });
    await call(`${app.url}/chat`, { token: 'not.a.token', headers });
    const json = { ...headers, 'content-type': 'application/json' };
    await call(`${app.url}/agents`, { method: 'POST', raw: '{', headers: json });
    await call(`${app.url}/chat/`, { method: 'HEAD', headers });
    for (const free of ['/', '/health', '/docs', '/redoc', '/openapi.json', '/metrics']) {
      expect((await call(`${app.origin}${free}`, { headers })).headers.get('x-ratelimit-limit')).toBeNull();
    }
    const fifth = await call(`${app.url}/chat`, { headers });
    expect(fifth.headers.get('x-ratelimit-remaining')).toBe('55');
  });

  it('counts unknown paths next to those of operators and readers', async () => {
    for (const unknown of ['/health/nothing', '/metrics/nothing', '/openapi.xml', '/docs/nothing', '/redoc/nothing']) {
      const answer = await call(`${app.origin}${unknown}`, { headers });
      expectFailure(answer, 404, 'NOT_FOUND');
      expectLimitHeaders(answer);
    }
  });

  it('has an additional, lower limit under /auth', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => call(`${app.url}/auth/login`, { method: 'POST', body: {}, headers })),
    );
    expect(answers.filter(({ status }) => status !== 429)).toHaveLength(30);
    expect((await call(`${app.url}/chat`, { headers })).status).toBe(401);
  });

  it('counts IPv6 callers by their /64, others by their address, and trusts only one proxy', async () => {
    const remaining = async (address: string): Promise<string | null> =>
      (await call(`${app.url}/chat`, { headers: from(address) })).headers.get('x-ratelimit-remaining');
    expect(await remaining('2001:db8:1:2::1')).toBe('59');
    expect(await remaining('2001:db8:1:2:ffff::9')).toBe('58');
    expect(await remaining('2001:db8:1:3::1')).toBe('59');
    expect(await remaining('198.51.100.7')).toBe('59');
    expect(await remaining('::ffff:198.51.100.7')).toBe('58');
    expect(await remaining('10.9.9.9, 198.51.100.7')).toBe('57');
    expect(await remaining('198.51.100.7:5555')).toBe('56');
    expect(await remaining('[2001:db8:1:3::9]:443')).toBe('58');
    expect(await remaining('[2001:db8:1:3::9]')).toBe('57');
  });

  it('resets after the window, whose end X-RateLimit-Reset contains in Unix seconds', async () => {
    app.freezeClock();
    const first = await call(`${app.url}/chat`, { headers });
    const now = app.app.get(Clock).now().getTime();
    const reset = Number(first.headers.get('x-ratelimit-reset'));
    expect(reset).toBe(Math.floor(now / 1_000) + 60);
    app.advanceClock(reset * 1_000 - now - 1);
    expect((await call(`${app.url}/chat`, { headers })).headers.get('x-ratelimit-remaining')).toBe('58');
    app.advanceClock(1);
    expect((await call(`${app.url}/chat`, { headers })).headers.get('x-ratelimit-remaining')).toBe('59');
    // A clock that is set back makes no caller wait for later times.
    app.advanceClock(-3_600_000);
    const back = await call(`${app.url}/chat`, { headers });
    expect(Number(back.headers.get('x-ratelimit-reset'))).toBe(reset + 60 - 3_600);
  });
});

describe('the rate limit over two instances', () => {
  it('is shared through Redis, and continues locally when Redis is down', async () => {
    const redis = await startRedisServer();
    const first = await startTestApp({ ...LIMITS, REDIS_URL: redis.url });
    const isShareable = first.environment.DATABASE_URL?.startsWith('mysql') ?? false;
    // SQLite allows one process; a second instance there has its own database and shares only the limits.
    const second = isShareable
      ? await startInstance(first.environment)
      : await startTestApp({ ...LIMITS, REDIS_URL: redis.url });
    try {
      await Promise.all([first, second].map(({ app }) => untilShared(app.get(RedisConnection))));
      const calls = Array.from({ length: 200 }, (_element, index) =>
        call(`${index % 2 ? first.url : second.url}/chat`),
      );
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      expect(statuses.filter((status) => status !== 429)).toHaveLength(60);
      await redis.stop();
      const alone = await Promise.all(Array.from({ length: 100 }, () => call(`${first.url}/chat`)));
      expect(alone.filter(({ status }) => status === 401)).toHaveLength(60);
      expect(alone.filter(({ status }) => status === 429)).toHaveLength(40);
    } finally {
      await ('close' in second ? (second as TestApp).close() : second.app.close());
      await first.close();
      await redis.stop();
    }
  });
});

function expectLimitHeaders({ headers }: Answer): void {
  expect(headers.get('x-ratelimit-limit')).toBe('60');
  expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
  expect(headers.get('x-ratelimit-reset')).toMatch(/^\d{10}$/);
}
