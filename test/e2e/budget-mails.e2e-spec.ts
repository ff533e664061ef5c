import { DomainEvents } from '../../src/common/events/domain-events';
import type { Hold } from '../../src/modules/budget/admission/budget-admission';
import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import { createAdmin, createUser } from '../support/accounts';
import { hold, makeBudget, settle } from '../support/budgets';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { suspend } from '../support/suspensions';
import { useAdmin, useOwnTestApp } from '../support/use-app';

interface Told {
  type: string;
  userId: number | null;
  data: Record<string, unknown>;
}

describe('budget notifications', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);

  const told: Told[] = [];

  beforeAll(() => {
    app.app.get(DomainEvents).on('budget.*', ({ type, userId, data }) => {
      told.push({ type, userId, data: data as Told['data'] });
      return Promise.resolve();
    });
  });

  afterEach(async () => {
    told.length = 0;
    app.resetClock();
    for (const { id } of await admin.items<BudgetDto>('/admin/budgets?size=100')) {
      await admin.delete(`/admin/budgets/${id}`);
    }
  });

  const spend = async (userId: number, cost: string) => settle(app, (await hold(app, { userId }, cost)) as Hold, cost);

  const ofUser = (userId: number, limit: string) => makeBudget(admin, { scope: 'user', scope_id: userId, limit });

  it('by mail, about a user, are for administrators and that user, each in their own language', async () => {
    const { user, email } = await createUser(app, { language: 'de' });
    await makeBudget(admin, { scope: 'user', scope_id: user.id, limit: '1' });
    for (const [cost, subject] of [
      ['0.5', /50/],
      ['0.3', /80/],
    ] as const) {
      await spend(user.id, cost);
      for (const [address, language] of [
        [email, 'de'],
        [admin.account.email, 'en'],
      ] as const) {
        const mail = await app.mails.waitForMail(address, (one) => subject.test(one.subject ?? ''));
        expect(mail.headers.find(({ key }) => key === 'content-language')?.value).toBe(language);
      }
    }
  });

  it.each([{ scope: 'service' }, { scope: 'membership_type', scope_id: 'free' }])(
    'by mail, about a shared budget, are for administrators only, unless they are suspended ($scope)',
    async (scope) => {
      const former = await createAdmin(app);
      await suspend(app, former.user.id);
      const { user, email } = await createUser(app);
      await makeBudget(admin, { ...scope, limit: '1', thresholds: [60], mode: 'soft' });
      await spend(user.id, '0.7');
      const mail = await app.mails.waitForMail(admin.account.email, ({ subject }) => /60%/.test(subject ?? ''));
      await spend(user.id, '0.7');
      await app.mails.waitForMail(admin.account.email, ({ subject }) => /used up/.test(subject ?? ''));
      const [shared] = await admin.items<BudgetDto>('/admin/budgets');
      expect(mail.text).toContain(`Budget number ${shared!.id} has`);
      const quiet = await createUser(app);
      const settings = { method: 'PUT', token: quiet.token, body: { email_notifications: false } };
      expect((await call(`${app.url}/user/settings`, settings)).status).toBe(200);
      await makeBudget(admin, { scope: 'user', scope_id: quiet.user.id, limit: '0.25', mode: 'soft' });
      await spend(quiet.user.id, '0.3');
      // Mails are sent in order: when this one has arrived, the earlier ones have too.
      await makeBudget(admin, {
        scope: 'user',
        scope_id: user.id,
        limit: '0.25',
        mode: 'soft',
        thresholds: [],
        name: 'Trips & more',
      });
      await spend(user.id, '0.3');
      const own = await app.mails.waitForMail(email, ({ subject }) => /used up/.test(subject ?? ''));
      expect(own.text).toContain('0.25');
      expect(own.text).toContain('Budget “Trips & more” has');
      expect(app.mails.mailsTo(email)).toEqual([own]);
      expect(app.mails.mailsTo(quiet.email)).toEqual([]);
      expect(app.mails.mailsTo(former.email)).toEqual([]);
    },
  );

  it('are sent once for each threshold, when spending passes it, and again after a reset', async () => {
    const user = await createUser(app);
    await ofUser(user.user.id, '0');
    await spend(user.user.id, '0');
    expect(told).toEqual([]);
    await admin.delete(`/admin/budgets/${(await admin.items<BudgetDto>('/admin/budgets'))[0]?.id}`);
    const { id } = await ofUser(user.user.id, '1');
    await spend(user.user.id, '0.4');
    expect(told).toEqual([]);
    await spend(user.user.id, '0.45');
    const thresholds = () =>
      told.filter(({ type }) => type === 'budget.threshold').map(({ data: { threshold } }) => threshold);
    expect(thresholds()).toEqual([50, 80]);
    expect(told[0]).toMatchObject({
      userId: user.user.id,
      data: { budget_id: id, scope: 'user', scope_id: user.user.id, limit: '1', spent: '0.85', window: 'month' },
    });
    await spend(user.user.id, '0.05');
    expect(thresholds()).toEqual([50, 80]);
    for (const email of [user.email, admin.account.email]) {
      expect((await app.mails.waitForMail(email, ({ subject }) => /80%/.test(subject ?? ''))).text).toContain('0.85');
    }
    await admin.post(`/admin/budgets/${id}/reset`);
    await spend(user.user.id, '0.6');
    await spend(user.user.id, '0.3');
    expect(thresholds()).toEqual([50, 80, 50, 80]);
  });

  it('are sent once for each window when it refused a request, or its limit was exceeded', async () => {
    const user = await createUser(app);
    await makeBudget(admin, { scope: 'user', scope_id: user.user.id, limit: '9000', thresholds: [] });
    const refused = () => told.filter(({ type }) => type === 'budget.exceeded').length;
    const refusal = () => expect(hold(app, { userId: user.user.id }, '9001')).rejects.toThrow('BUDGET_EXCEEDED');
    await Promise.all([refusal(), refusal(), refusal()]);
    await eventually(() => Promise.resolve(refused() === 1 || undefined));
    await app.mails.waitForMail(user.email, ({ subject }) => /used up/.test(subject ?? ''));
    const plan = { scope: 'membership_type', scope_id: 'free', limit: '1000', mode: 'soft', thresholds: [120] };
    const { id } = await makeBudget(admin, plan);
    await spend(user.user.id, '1000');
    expect(refused()).toBe(1);
    await spend(user.user.id, '0.6');
    await spend(user.user.id, '0.1');
    expect(refused()).toBe(2);
    await admin.post(`/admin/budgets/${id}/reset`);
    await spend(user.user.id, '1000.1');
    expect(refused()).toBe(3);
    app.advanceClock(32 * 86_400_000);
    await refusal();
    await eventually(() => Promise.resolve(refused() === 4 || undefined));
  });
});
