import type { RetentionPolicyDto } from '../../src/modules/retention/administration/retention.dto';
import { createAdmin, createUser } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { startConsoleApp } from '../support/console-app';
import { ConsoleLooks } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { made } from '../support/use-app';

describe('retention and legal holds in the console', () => {
  const app = made(beforeAll, () => startConsoleApp());
  let admin: AdminClient;
  let at: ConsolePage;
  let looks: ConsoleLooks;

  beforeAll(async () => {
    admin = await AdminClient.of(app);
    await admin.post('/admin/groups', { name: 'Lawyers' });
    at = new ConsolePage(await app.visit(await createAdmin(app)));
    looks = new ConsoleLooks(at.page);
  });

  afterAll(() => app.close());

  const faults = async (name: string): Promise<void> => {
    await looks.settled();
    expect(await looks.faults(name)).toEqual([]);
  };

  it('creates a policy, previews it, and runs a sweep', async () => {
    await at.open('admin/retention', 'Retention');
    await at.page.getByText('No policies yet.', { exact: false }).waitFor();
    await at.press('Create policy');
    await at.dialog.getByLabel('Data', { exact: true }).selectOption('traces');
    await at.dialog.getByLabel('Applies to', { exact: true }).selectOption({ label: 'Lawyers' });
    await at.dialog.getByLabel('Days', { exact: true }).fill('90');
    await faults('retention-form');
    await at.answer('Create');
    await at.says('Policy created.');
    const [policy] = await admin.items<RetentionPolicyDto>('/admin/retention');
    expect(policy).toMatchObject({ scope: 'group', kind: 'traces', days: 90 });
    await at.page.getByText('90 days').waitFor();
    await admin.post('/admin/retention', {
      scope: 'service',
      kind: 'chats',
      days: 365,
      effective_at: '2020-01-01T00:00:00Z',
    });
    await at.press('Preview');
    await at.dialog.getByText('0 to delete', { exact: false }).waitFor();
    await faults('retention-preview');
    await at.page.keyboard.press('Escape');
    await at.press('Run sweep');
    await at.answer('Run sweep');
    await at.says('Sweep started.');
    await at.page.getByText('Administrator', { exact: true }).waitFor();
    await faults('retention');
  });

  it('creates a hold for a user found by name, and releases it', async () => {
    const { user } = await createUser(app);
    await at.open('admin/holds', 'Legal holds');
    await at.press('New hold');
    await at.dialog.getByLabel('Name', { exact: true }).fill('Smith v. Example Ltd');
    await at.dialog.getByLabel('Reason', { exact: true }).fill('Court order.');
    const subject = at.dialog.getByLabel('User', { exact: true });
    await subject.fill('no such user');
    await at.answer('Create');
    await at.dialog.getByText('Choose an entry from the list.', { exact: false }).waitFor();
    await subject.fill(user.username);
    await faults('hold-form');
    await at.answer('Create');
    await at.says('Hold created.');
    expect(await admin.items('/admin/holds')).toMatchObject([{ scope: 'user', scope_id: user.id, status: 'active' }]);
    await faults('holds');
    await at.press('Actions for Smith v. Example Ltd');
    await at.press('Release');
    await at.dialog.getByLabel('Reason', { exact: true }).fill('Settled.');
    await at.answer('Release');
    await at.says('Hold released.');
  });
});
