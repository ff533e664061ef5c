import type { Hold } from '../../src/modules/budget/admission/hold';
import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import { createUser } from '../support/accounts';
import { hold, makeBudget, settle } from '../support/budgets';
import { useAdmin, useOwnTestApp } from '../support/use-app';

describe('mails about budgets', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);

  afterEach(async () => {
    for (const { id } of await admin.items<BudgetDto>('/admin/budgets?size=100')) {
      await admin.delete(`/admin/budgets/${id}`);
    }
  });

  const spend = async (userId: number, cost: string) => settle(app, (await hold(app, { userId }, cost)) as Hold, cost);

  it('of a user are for administrators and that user, each in their own language', async () => {
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
    'of what others share are for administrators alone ($scope)',
    async (scope) => {
      const { user, email } = await createUser(app);
      await makeBudget(admin, { ...scope, limit: '1', thresholds: [60], mode: 'soft' });
      await spend(user.id, '0.7');
      await app.mails.waitForMail(admin.account.email, ({ subject }) => /60 %/.test(subject ?? ''));
      await spend(user.id, '0.7');
      await app.mails.waitForMail(admin.account.email, ({ subject }) => /used up/.test(subject ?? ''));
      // Mails go out in their order: by the time of this one, those before it have come.
      await makeBudget(admin, { scope: 'user', scope_id: user.id, limit: '0.25', mode: 'soft', thresholds: [] });
      await spend(user.id, '0.3');
      const own = await app.mails.waitForMail(email, ({ subject }) => /used up/.test(subject ?? ''));
      expect(own.text).toContain('0.25');
      expect(app.mails.mailsTo(email)).toEqual([own]);
    },
  );
});
