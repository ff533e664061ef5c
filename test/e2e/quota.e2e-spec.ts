// @databases mariadb mysql: locks and deadlocks
import { type DomainEvent, DomainEvents } from '../../src/common/events/domain-events';
import { type Tier, WITHOUT_KEY } from '../../src/common/security/principal';
import { Database } from '../../src/database/database';
import { PlanService } from '../../src/modules/usage/quota/plan.service';
import { QuotaAlertService } from '../../src/modules/usage/quota/quota-alert.service';
import { QuotaExceededError } from '../../src/modules/usage/quota/usage.errors';
import { UsageService } from '../../src/modules/usage/usage.service';
import { UserService } from '../../src/modules/user/management/user.service';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { call } from '../support/http';
import { useTestApp } from '../support/use-app';
import { untilNextNoon, UsageRecords } from './usage-records';

describe('the daily quotas', () => {
  const app = useTestApp({
    ACCESS_TOKEN_TTL: '31536000',
    REFRESH_TOKEN_TTL: '31536000',
    QUOTA_FREE_MESSAGES: '5',
    QUOTA_FREE_TOKENS: '1000',
    QUOTA_PAID_MESSAGES: '8',
    QUOTA_PAID_TOKENS: '9000',
  });

  let user: TestAccount;
  let records: UsageRecords;
  const events: DomainEvent[] = [];

  beforeAll(() => {
    app.freezeClock();
    app.advanceClock(untilNextNoon(app));
    app.app.get(DomainEvents).on('quota.exceeded', (event) => {
      events.push(event);
      return Promise.resolve();
    });
  });

  beforeEach(async () => {
    user = await createUser(app);
    records = new UsageRecords(app, user.user.id);
  });

  const quota = async (token = user.token) => (await call(`${app.url}/user/quota`, { token })).body;
  const eventsOf = async (userId = user.user.id) => {
    await app.app.get(QuotaAlertService).onModuleDestroy();
    return events.filter((event) => event.userId === userId);
  };
  const refusal = async (work: Promise<unknown>): Promise<QuotaExceededError> => {
    const error: unknown = await work.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(QuotaExceededError);
    return error as QuotaExceededError;
  };
  const tomorrow = () => new Date(Math.ceil(records.now().getTime() / 86_400_000) * 86_400_000).toISOString();

  it('return the remainder', async () => {
    expect(await records.message()).toEqual({ messages: 4, tokens: 1000 });
    await records.reply(300);
    expect(await records.message()).toEqual({ messages: 3, tokens: 700 });
    expect(await quota()).toEqual({
      messages: { limit: 5, used: 2, remaining: 3 },
      tokens: { limit: 1000, used: 300, remaining: 700 },
      embedding_tokens: { limit: 1_000_000, used: 0, remaining: 1_000_000 },
      storage: { limit: 104_857_600, used: 0 },
      resets_at: tomorrow(),
    });
  });

  it('accept exactly the remaining number of messages, even concurrent ones', async () => {
    const sends = await Promise.allSettled(Array.from({ length: 50 }, () => records.message()));
    const left = sends.flatMap((send) => (send.status === 'fulfilled' ? [send.value.messages] : []));
    expect(left.sort()).toEqual([0, 1, 2, 3, 4]);
    for (const send of sends) {
      expect(send.status === 'fulfilled' || send.reason instanceof QuotaExceededError).toBe(true);
    }
    expect(await quota()).toMatchObject({ messages: { used: 5, remaining: 0 } });
    expect(await eventsOf()).toHaveLength(1);
  });

  it('return the wait time with a refusal, and send one event a day and quota', async () => {
    for (let sent = 0; sent < 5; sent++) {
      await records.message();
    }
    const details = { quota: 'messages', limit: 5, used: 5, resets_at: tomorrow() };
    const error = await refusal(records.message());
    expect(error).toMatchObject({ status: 429, code: 'QUOTA_EXCEEDED', details });
    const untilMidnight = (Date.parse(tomorrow()) - records.now().getTime()) / 1_000;
    expect(error.retryAfterSeconds).toBe(Math.ceil(untilMidnight));
    await refusal(records.message());
    expect(await eventsOf()).toEqual([
      { type: 'quota.exceeded', userId: user.user.id, data: { user_id: user.user.id, ...details } },
    ]);
    app.advanceClock(untilNextNoon(app));
    expect(await records.message()).toEqual({ messages: 4, tokens: 1000 });
    for (let sent = 1; sent < 5; sent++) {
      await records.message();
    }
    await refusal(records.message());
    expect(await eventsOf()).toHaveLength(2);
  });

  it('refuse before the model is called once the tokens are used up', async () => {
    await records.message();
    await records.reply(1_000);
    expect(await quota()).toMatchObject({ tokens: { limit: 1000, used: 1000, remaining: 0 } });
    const error = await refusal(records.message());
    expect(error.details).toMatchObject({ quota: 'tokens', limit: 1000, used: 1000 });
    const require = (tier: Tier) =>
      app.app
        .get(Database)
        .write((manager) =>
          app.app.get(UsageService).requireTokens(manager, { userId: user.user.id, tier, ...WITHOUT_KEY }),
        );
    expect((await refusal(require('normal'))).details).toEqual(error.details);
    expect(await require('admin')).toEqual({ messages: null, tokens: null });
  });

  it('refund a message when its reply failed without a token', async () => {
    await records.message();
    await records.reply(0, { status: 'failed', firstTokenMs: null, returnMessage: true });
    expect(await quota()).toMatchObject({ messages: { used: 0, remaining: 5 } });
    const totals = await call(`${app.url}/user/total-stats`, { token: user.token });
    expect(totals.body).toMatchObject({ total_messages: 2 });
  });

  it('refund nothing to another day', async () => {
    await records.message();
    const startedAt = records.now();
    app.advanceClock(untilNextNoon(app));
    await records.message();
    await records.reply(10, { startedAt, status: 'failed', firstTokenMs: null, returnMessage: true });
    expect(await quota()).toMatchObject({ messages: { used: 1 }, tokens: { used: 10 } });
  });

  it('follow the plan, and the membership immediately', async () => {
    await records.message();
    expect(await quota()).toMatchObject({ messages: { limit: 5 } });
    await app.app
      .get(Database)
      .write((manager) =>
        app.app.get(UserService).update(manager, user.user.id, { membershipType: 'monthly' }, ['membership_type']),
      );
    expect(await quota()).toMatchObject({ messages: { limit: 8, used: 1 }, tokens: { limit: 9000 } });
    const membershipExpiresAt = new Date(records.now().getTime() + 1_000);
    await app.app
      .get(Database)
      .write((manager) =>
        app.app.get(UserService).update(manager, user.user.id, { membershipExpiresAt }, ['membership_expires_at']),
      );
    expect(await quota()).toMatchObject({ messages: { limit: 8 } });
    app.advanceClock(1_000);
    expect(await quota()).toMatchObject({ messages: { limit: 5, used: 1 }, tokens: { limit: 1000 } });
  });

  it('can be set for one user', async () => {
    await app.app
      .get(Database)
      .write((manager) => app.app.get(UserService).update(manager, user.user.id, { quotaMessagesOverride: 1 }, []));
    expect(await records.message()).toEqual({ messages: 0, tokens: 1000 });
    await refusal(records.message());
  });

  it('of zero refuse every message, even the first', async () => {
    await app.app
      .get(Database)
      .write((manager) => app.app.get(UserService).update(manager, user.user.id, { quotaTokensOverride: 0 }, []));
    const error = await refusal(records.message());
    expect(error.details).toMatchObject({ quota: 'tokens', limit: 0, used: 0 });
    expect(await eventsOf()).toHaveLength(1);
  });

  it('can be changed for a plan while the service runs', async () => {
    const plans = app.app.get(PlanService);
    const change = (limits: object) => app.app.get(Database).write((manager) => plans.update(manager, 'free', limits));
    expect(await change({ messagesPerDay: null })).toMatchObject({ messagesPerDay: null, tokensPerDay: 1000 });
    try {
      expect(await records.message()).toEqual({ messages: null, tokens: 1000 });
      expect(await quota()).toMatchObject({ messages: { limit: null, used: 1, remaining: null } });
    } finally {
      await change({ messagesPerDay: 5 });
    }
    expect((await plans.list()).map(({ membershipType, messagesPerDay }) => [membershipType, messagesPerDay])).toEqual([
      ['free', 5],
      ['monthly', 8],
      ['yearly', 8],
    ]);
  });

  it('do not apply to administrators', async () => {
    const admin = await createAdmin(app);
    const ofAdmin = new UsageRecords(app, admin.user.id, 'admin');
    await Promise.all(Array.from({ length: 10 }, () => ofAdmin.message()));
    expect(await quota(admin.token)).toMatchObject({ messages: { limit: null, used: 10, remaining: null } });
  });
});
