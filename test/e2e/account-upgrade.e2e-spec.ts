import { JwtService } from '@nestjs/jwt';
import { type DomainEvent, DomainEvents } from '../../src/common/events/domain-events';
import { Database } from '../../src/database/database';
import { type UserDto } from '../../src/modules/user/account/user.dto';
import { UserEntity } from '../../src/modules/user/account/user.entity';
import { MembershipRetention } from '../../src/modules/user/membership/membership.retention';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { startTestApp, type TestApp } from '../support/test-app';

const DAY = 86_400_000;
const PAYMENT_TOKEN_SECRET = 'what the payment backend signs with, 32 bytes';

let app: TestApp;
const upgrade = (token: string, body: unknown) => call(`${app.url}/user/upgrade`, { method: 'POST', token, body });
const me = async (token: string) => (await call<UserDto>(`${app.url}/auth/me`, { token })).body;
const monthsAfter = (start: number, months: number): number => {
  const end = new Date(start);
  end.setUTCMonth(end.getUTCMonth() + months, Math.min(end.getUTCDate(), 28));
  return end.getTime();
};

describe('an upgrade that is trusted', () => {
  const events: DomainEvent[] = [];

  beforeAll(async () => {
    app = await startTestApp({ RATE_LIMIT_NORMAL: '60', RATE_LIMIT_PAID: '120', REFRESH_TOKEN_TTL: '31536000' });
    app.app.get(DomainEvents).on('membership.*', (event) => {
      events.push(event);
      return Promise.resolve();
    });
  });

  afterEach(() => app.resetClock());
  afterAll(() => app.close());

  it('adds a month, then a year to its end, and changes the tier immediately', async () => {
    const { token, user } = await createUser(app);
    const before = await call(`${app.url}/auth/me`, { token });
    expect(before.headers.get('x-ratelimit-limit')).toBe('60');

    const answer = await upgrade(token, { plan_id: 'monthly', lang: 'en' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ success: true, message: expect.any(String) });
    const after = await call<UserDto>(`${app.url}/auth/me`, { token });
    expect(after.headers.get('x-ratelimit-limit')).toBe('120');
    expect(after.body.membership_type).toBe('monthly');
    const monthly = Date.parse(after.body.membership_expires_at ?? '');
    expect(Math.abs(monthly - monthsAfter(Date.now(), 1))).toBeLessThan(4 * DAY);

    await upgrade(token, { plan_id: 'yearly' });
    const yearly = await me(token);
    expect(yearly.membership_type).toBe('yearly');
    expect(Math.abs(Date.parse(yearly.membership_expires_at ?? '') - monthsAfter(monthly, 12))).toBeLessThan(4 * DAY);
    expect(events.filter(({ userId }) => userId === user.id).map(({ type, data }) => ({ type, data }))).toEqual([
      { type: 'membership.upgraded', data: expect.objectContaining({ membership_type: 'monthly' }) },
      { type: 'membership.upgraded', data: expect.objectContaining({ membership_type: 'yearly' }) },
    ]);
  });

  it('counts each of twelve concurrent requests', async () => {
    const { token } = await createUser(app);
    const answers = await Promise.all(Array.from({ length: 12 }, () => upgrade(token, { plan_id: 'monthly' })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const end = Date.parse((await me(token)).membership_expires_at ?? '');
    expect(Math.abs(end - monthsAfter(Date.now(), 12))).toBeLessThan(4 * DAY);
  });

  it('has a storable end, however often it is repeated', async () => {
    const { token, user } = await createUser(app);
    await upgrade(token, { plan_id: 'monthly' });
    const late = { membershipExpiresAt: new Date('9999-06-01T00:00:00.000Z') };
    await app.app.get(Database).write((manager) => manager.update(UserEntity, { id: user.id }, late));
    const answer = await upgrade(token, { plan_id: 'yearly' });
    expect([answer.status, (await me(token)).membership_expires_at]).toEqual([200, '8999-12-31T23:59:59.999Z']);
    expect((await upgrade(token, { plan_id: 'monthly' })).status).toBe(200);
    expect((await me(token)).membership_expires_at).toBe('8999-12-31T23:59:59.999Z');
  });

  it('ends at the exact time, is reported once, and then starts from the current time', async () => {
    const { token, user } = await createUser(app);
    await upgrade(token, { plan_id: 'monthly' });
    // From here on the caller's identity is cached; the expiry must count nevertheless.
    const paid = await call<UserDto>(`${app.url}/auth/me`, { token });
    expect(paid.headers.get('x-ratelimit-limit')).toBe('120');
    app.advanceClock(32 * DAY);
    const free = await call<UserDto>(`${app.url}/auth/me`, { token });
    expect(free.headers.get('x-ratelimit-limit')).toBe('60');
    expect(free.body).toMatchObject({
      membership_type: 'free',
      membership_expires_at: paid.body.membership_expires_at,
    });

    const expiry = app.app.get(MembershipRetention);
    await Promise.all([expiry.expire(), expiry.expire()]);
    await expiry.expire();
    const told = events.filter(({ type, userId }) => type === 'membership.expired' && userId === user.id);
    expect(told.map(({ data }) => data)).toEqual([
      expect.objectContaining({ user_id: user.id, membership_type: 'monthly' }),
    ]);

    const now = Date.now() + 32 * DAY;
    await upgrade(token, { plan_id: 'monthly' });
    const end = Date.parse((await me(token)).membership_expires_at ?? '');
    expect(Math.abs(end - monthsAfter(now, 1))).toBeLessThan(4 * DAY);
  });

  it('is not undone if it arrives while the former end is processed', async () => {
    const { token } = await createUser(app);
    await upgrade(token, { plan_id: 'monthly' });
    app.advanceClock(32 * DAY);
    const database = app.app.get(Database);
    const write = database.write.bind(database);
    jest.spyOn(database, 'write').mockImplementationOnce(async (work) => {
      await upgrade(token, { plan_id: 'monthly' });
      return write(work);
    });
    await app.app.get(MembershipRetention).expire();
    expect((await me(token)).membership_type).toBe('monthly');
  });

  it('is refused when the plan is unknown', async () => {
    const { token } = await createUser(app);
    const error = expectFailure(await upgrade(token, { plan_id: 'weekly' }), 422, 'VALIDATION_ERROR');
    expect(error.details).toMatchObject({ field: 'plan_id', reason: 'not_allowed' });
    expect((await me(token)).membership_type).toBe('free');
  });

  it('needs a login', async () => {
    expectFailure(await call(`${app.url}/user/upgrade`, { body: { plan_id: 'monthly' } }), 401, 'UNAUTHORIZED');
  });
});

describe('an upgrade that must be paid', () => {
  let account: TestAccount;
  const jwt = new JwtService();
  let payments = 0;
  const payment = (claims: object = {}, secret = PAYMENT_TOKEN_SECRET) =>
    jwt.sign(
      { plan: 'monthly', sub: String(account.user.id), aud: 'membership-upgrade', jti: `pay-${++payments}`, ...claims },
      { secret, ...('exp' in claims ? {} : { expiresIn: 60 }) },
    );

  beforeAll(async () => {
    app = await startTestApp({ UPGRADE_MODE: 'verified', PAYMENT_TOKEN_SECRET });
  });

  // A user with a plan gets the next month after its end.
  beforeEach(async () => {
    account = await createUser(app);
  });

  afterAll(() => app.close());

  it('counts with the token of the payment, once', async () => {
    const body = { plan_id: 'monthly', payment_token: payment() };
    const answers = await Promise.all(Array.from({ length: 10 }, () => upgrade(account.token, body)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const sentences = answers.map((answer) => (answer.body as { message: string }).message);
    expect(sentences.filter((message) => message.includes('has been upgraded'))).toHaveLength(1);
    expect(sentences.filter((message) => message.includes('already applied'))).toHaveLength(9);
    const { membership_type, membership_expires_at } = await me(account.token);
    expect(membership_type).toBe('monthly');
    expect(Math.abs(Date.parse(membership_expires_at ?? '') - monthsAfter(Date.now(), 1))).toBeLessThan(4 * DAY);
    expect((await upgrade(account.token, body)).status).toBe(200);
    expect((await me(account.token)).membership_expires_at).toBe(membership_expires_at);
  });

  it('is answered again for a payment already counted, even when its proof has expired', async () => {
    const jti = 'paid-and-expired';
    const paid = { plan_id: 'monthly', payment_token: payment({ jti }) };
    expect((await upgrade(account.token, paid)).status).toBe(200);
    const before = await me(account.token);
    const again = { plan_id: 'monthly', payment_token: payment({ jti, exp: Math.floor(Date.now() / 1_000) - 1 }) };
    const answer = await upgrade(account.token, again);
    expect(answer.status).toBe(200);
    expect((answer.body as { message: string }).message).toContain('already applied');
    expect(await me(account.token)).toEqual(before);
    const other = await createUser(app);
    const sub = String(other.user.id);
    const elsewhere = { plan_id: 'monthly', payment_token: payment({ jti, sub, exp: 1 }) };
    expectFailure(await upgrade(other.token, elsewhere), 402, 'PAYMENT_REQUIRED');
  });

  it('does not count for another user or plan, even with another token for the same payment', async () => {
    const other = await createUser(app);
    const jti = 'paid-once';
    expect((await upgrade(account.token, { plan_id: 'monthly', payment_token: payment({ jti }) })).status).toBe(200);
    const anotherPlan = { plan_id: 'yearly', payment_token: payment({ jti, plan: 'yearly' }) };
    expectFailure(await upgrade(account.token, anotherPlan), 402, 'PAYMENT_REQUIRED');
    const anotherUser = { plan_id: 'monthly', payment_token: payment({ jti, sub: String(other.user.id) }) };
    expectFailure(await upgrade(other.token, anotherUser), 402, 'PAYMENT_REQUIRED');
    expect((await me(other.token)).membership_type).toBe('free');
  });

  it.each<[string, () => string | undefined]>([
    ['none', () => undefined],
    ['rubbish', () => 'x.y.z'],
    ['one for another user', () => payment({ sub: '999999' })],
    ['one for another plan', () => payment({ plan: 'yearly' })],
    ['one for another end', () => payment({ aud: 'gift-cards' })],
    ['an expired one', () => payment({ exp: Math.floor(Date.now() / 1_000) - 1 })],
    ['one with another signer', () => payment({}, 'another secret of sufficient length')],
    ['one without a name', () => payment({ jti: '' })],
    ['one with an endless name', () => payment({ jti: 'x'.repeat(129) })],
    ['an access token', () => account.token],
  ])('is refused with %s', async (_name, payment_token) => {
    const before = await me(account.token);
    const answer = await upgrade(account.token, { plan_id: 'monthly', payment_token: payment_token() });
    expectFailure(answer, 402, 'PAYMENT_REQUIRED');
    expect(await me(account.token)).toEqual(before);
  });
});

describe('an upgrade that administrators make', () => {
  beforeAll(async () => {
    app = await startTestApp({ UPGRADE_MODE: 'admin_only' });
  });

  afterAll(() => app.close());

  it('is refused to users and open to administrators', async () => {
    const [user, admin] = [await createUser(app), await createAdmin(app)];
    expectFailure(await upgrade(user.token, { plan_id: 'monthly' }), 403, 'FORBIDDEN');
    expect((await upgrade(admin.token, { plan_id: 'monthly' })).status).toBe(200);
  });
});
