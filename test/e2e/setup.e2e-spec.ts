// @databases mariadb: two instances share one database
import { DomainEvents } from '../../src/common/events/domain-events';
import { Database } from '../../src/database/database';
import { AdministratorSetup } from '../../src/modules/auth/setup/administrator-setup';
import { type TokenPairDto } from '../../src/modules/auth/tokens/token.dto';
import { type UserDto } from '../../src/modules/user/account/user.dto';
import { UserEntity } from '../../src/modules/user/account/user.entity';
import { UserService } from '../../src/modules/user/management/user.service';
import { createAdmin, createUser, newcomer, type Registration } from '../support/accounts';
import { BrowserClient, cookiesOf, DEVICE_COOKIE, REFRESH_COOKIE } from '../support/browser-client';
import { call, expectFailure, sendRaw } from '../support/http';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance, startTestApp, type TestApp } from '../support/test-app';
import { useOwnTestApp } from '../support/use-app';

/** Other machines reach the service too, so no client may set it up without the token. */
const REACHABLE = { PUBLIC_URL: 'https://chat.example.com' };

interface AuditLog {
  action: string;
  actor_id: number;
  target_id: string;
  address: string;
  after: Record<string, unknown>;
}

describe('the first administrator', () => {
  let app: TestApp;
  let second: Pick<TestApp, 'app' | 'url'> | undefined;

  const start = async (environment: Record<string, string> = {}): Promise<void> => {
    app = await startTestApp(environment);
  };
  /** Another instance on the same data, if possible; otherwise the same one. */
  const startSecond = async (changed: Record<string, string> = {}): Promise<TestApp> => {
    if (databaseEngine() === 'sqlite') return app;
    second = await startInstance({ ...app.environment, ...changed });
    return { ...app, ...second };
  };

  afterEach(async () => {
    await second?.app.close();
    second = undefined;
    await app.close();
  });

  it('is created on the machine of the service, once, is logged in and audited, and webhooks receive it', async () => {
    await start();
    const publish = jest.spyOn(app.app.get(DomainEvents), 'publish');
    expect((await status(app)).body).toEqual({ needs_administrator: true, is_allowed_here: true });
    expect(await app.app.get(AdministratorSetup).link()).toBe('/setup');
    const registration = newcomer({ lang: 'de' });
    expectFailure(await make(app, { ...registration, password: 'short' }), 422, 'VALIDATION_ERROR');
    const made = await make(app, registration);
    expect(made.status).toBe(201);
    expect(Object.keys(made.body)).toContain('refresh_token');
    const token = made.body.access_token;
    const me = await call<UserDto>(`${app.url}/auth/me`, { token });
    expect(me.body).toMatchObject({ username: registration.username, email: registration.email, user_type: 'admin' });
    const logs = await call<{ data: { items: AuditLog[] } }>(`${app.url}/admin/audit_logs`, { token });
    expect(logs.body.data.items).toEqual([
      expect.objectContaining({
        action: 'user.create',
        target_id: String(me.body.id),
        address: '127.0.0.1',
        after: expect.objectContaining({ user_type: 'admin', username: me.body.username }),
      }),
    ]);
    expect(JSON.stringify(logs.body)).not.toMatch(/password|hash/);
    expect(publish.mock.calls.map(([, { type }]) => type)).toContain('user.registered');

    expect((await status(app)).body).toEqual({ needs_administrator: false, is_allowed_here: false });
    expect(await app.app.get(AdministratorSetup).link()).toBeNull();
    expectFailure(await make(app), 409, 'SETUP_COMPLETE');
    expect(await administrators(app)).toBe(1);
    const login = { email: registration.email, password: registration.password };
    expect((await call(`${app.url}/auth/login`, { body: login })).status).toBe(200);
  });

  it('has a session in a cookie if the page requests it', async () => {
    await start();
    const browser = new BrowserClient(app.url);
    const body = { ...newcomer(), session: 'cookie' };
    expectFailure(await make(app, body), 403, 'SAME_ORIGIN_REQUIRED');
    const made = await browser.post<TokenPairDto>('/setup/administrator', body);
    expect([made.status, cookiesOf(made)]).toEqual([201, [REFRESH_COOKIE, DEVICE_COOKIE]]);
    expect(made.body).not.toHaveProperty('refresh_token');
    expect((await browser.post('/auth/refresh_token', { session: 'cookie' })).status).toBe(200);
  });

  it('is created once in concurrent requests', async () => {
    await start();
    const instances = [app, await startSecond()];
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => make(instances[index % 2]!)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array<number>(19).fill(409)]);
    answers.filter((answer) => answer.status === 409).forEach((answer) => expectFailure(answer, 409, 'SETUP_COMPLETE'));
    expect(await administrators(app)).toBe(1);
    const { count } =
      (await app.app
        .get(Database)
        .repository(UserEntity)
        .createQueryBuilder('user')
        .select('COUNT(*)', 'count')
        .getRawOne<{ count: string }>()) ?? {};
    expect(Number(count)).toBe(1);
  });

  it('is not created under another name of the machine', async () => {
    await start();
    const body = JSON.stringify(newcomer());
    const lines = ['Content-Type: application/json', `Content-Length: ${body.length}`, 'Connection: close', '', body];
    const path = '/api/v1/setup/administrator';
    const answer = await sendRaw(
      app.origin,
      [`POST ${path} HTTP/1.1`, 'Host: evil.example:3000', ...lines].join('\r\n'),
    );
    expect(answer).toContain('SETUP_NOT_ALLOWED');
    const own = await sendRaw(app.origin, [`POST ${path} HTTP/1.1`, 'Host: localhost:1', ...lines].join('\r\n'));
    expect(own).toMatch(/^HTTP\/1\.1 201 /);
  });

  it('needs the token if other machines reach the service, which all instances accept while the secret changes', async () => {
    await start({ ...REACHABLE, JWT_SECRET: 'v9Tq2LmXc7RbNw4KsYd8HfJg3PzUe6Qa' });
    expect((await status(app)).body).toEqual({ needs_administrator: true, is_allowed_here: false });
    const right = await token(app);
    expect(right).toMatch(/^[\w-]{43}$/);
    for (const wrong of [undefined, '', 'rubbish', 'A'.repeat(43), `${right}=`, right.toUpperCase()]) {
      expectFailure(await make(app, { token: wrong }), 403, 'SETUP_NOT_ALLOWED');
    }
    expectFailure(await make(app, {}, { 'x-forwarded-for': '127.0.0.1' }), 403, 'SETUP_NOT_ALLOWED');
    expect(await administrators(app)).toBe(0);
    const changed = {
      JWT_SECRET: 'q4Wn8ZxTb2VcKs7MdLf5RgYh9JpUa3Ee',
      JWT_SECRET_PREVIOUS: app.environment.JWT_SECRET ?? '',
    };
    const other = await startSecond(changed);
    expect((await make(other, { token: right }, { 'x-forwarded-for': '203.0.113.7' })).status).toBe(201);
    expectFailure(await make(app, { token: right }), 409, 'SETUP_COMPLETE');
  });

  it('is not created if the configuration has created one', async () => {
    await start({ ADMIN_EMAIL: 'root@example.com', ADMIN_PASSWORD: 'a password for the operator' });
    expect((await status(app)).body).toEqual({ needs_administrator: false, is_allowed_here: false });
    expectFailure(await make(app), 409, 'SETUP_COMPLETE');
  });

  it('is not created if one exists, even a banned or a closed one', async () => {
    await start();
    const { user } = await createAdmin(app);
    for (const columns of [
      { status: 'banned' },
      { status: 'active', deletedAt: new Date(), eraseAt: new Date(Date.now() + 86_400_000) },
    ] as const) {
      await app.app.get(Database).write((manager) => manager.update(UserEntity, { id: user.id }, columns));
      // Checked each time: the setup caches the answer once there is one.
      expect(await app.app.get(UserService).hasAdministrator()).toBe(true);
    }
    expectFailure(await make(app), 409, 'SETUP_COMPLETE');
  });

  it('is refused after too many attempts', async () => {
    await start({ ...REACHABLE, RATE_LIMIT_AUTH: '3' });
    for (let times = 0; times < 3; times++) {
      expectFailure(await make(app, { token: 'guess' }), 403, 'SETUP_NOT_ALLOWED');
    }
    expectFailure(await make(app, { token: await token(app) }), 429, 'RATE_LIMIT_EXCEEDED');
    expect((await status(app)).status).toBe(200);
  });
});

describe('a first administrator who is refused', () => {
  const app = useOwnTestApp();

  afterEach(async () => expect(await administrators(app)).toBe(0));

  it.each([
    ['a proxy', { 'x-forwarded-for': '127.0.0.1' }],
    ['another proxy', { forwarded: 'for=127.0.0.1' }],
    ['one more', { via: '1.1 proxy' }],
    ['another page', { 'sec-fetch-site': 'cross-site' }],
    ['a page of another port', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }],
    ['a page of before 2023', { origin: 'https://evil.example' }],
  ])('came through %s without the token', async (_what, headers) => {
    expect((await status(app, headers)).body).toEqual({ needs_administrator: true, is_allowed_here: false });
    expectFailure(await make(app, {}, headers), 403, 'SETUP_NOT_ALLOWED');
  });

  it('broke the rules of a registration', async () => {
    const { username } = newcomer();
    const taken = await createUser(app);
    for (const [body, field] of [
      [{ email: 'nobody' }, 'email'],
      [{ username, password: username }, 'password'],
    ] as const) {
      const refused = expectFailure(await make(app, body), 422, 'VALIDATION_ERROR');
      expect([body, refused.details.field]).toEqual([body, field]);
    }
    expectFailure(await make(app, { email: taken.email }), 409, 'EMAIL_ALREADY_REGISTERED');
    expectFailure(await make(app, { username: taken.user.username }), 409, 'USERNAME_TAKEN');
  });
});

const status = ({ url }: TestApp, headers: Record<string, string> = {}) => call(`${url}/setup`, { headers });

const make = (
  { url }: TestApp,
  body: Partial<Registration> & { token?: string } = {},
  headers: Record<string, string> = {},
) => call<TokenPairDto>(`${url}/setup/administrator`, { body: { ...newcomer(), ...body }, headers });

const token = async ({ app }: TestApp): Promise<string> =>
  /#token=(.*)$/.exec((await app.get(AdministratorSetup).link()) ?? '')?.[1] ?? '';

const administrators = ({ app }: TestApp) => app.get(Database).repository(UserEntity).countBy({ userType: 'admin' });
