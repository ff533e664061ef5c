import type { HoldDto } from '../../src/modules/hold-administration/holds/legal-hold.dto';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { useConsoleApp } from '../support/console-app';
import { ConsoleLooks } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { eventually } from '../support/eventually';

describe('legal holds in the console', () => {
  const app = useConsoleApp();
  let admin: AdminClient;
  let user: TestAccount;
  let at: ConsolePage;

  beforeAll(async () => {
    admin = await AdminClient.of(app);
    user = await createUser(app);
    at = new ConsolePage(await app.visit(await createAdmin(app)));
  });

  afterAll(() => app.leave(at.page));

  const ours = () => admin.items<HoldDto>(`/admin/holds?scope=user&scope_id=${user.user.id}`);
  const row = () => at.page.locator('tbody tr').filter({ hasText: 'Smith v. Example' });

  it('are created, shown and released with a reason', async () => {
    await at.open('admin/holds', 'Legal holds');
    await at.page.getByRole('button', { name: 'New hold' }).click();
    await at.dialog.getByLabel('Name').fill('Smith v. Example');
    await at.dialog.getByLabel('Reason').fill('Court order.');
    await at.dialog.getByLabel('ID').fill(String(user.user.id));
    await at.dialog.getByLabel('Inform the owners of the data').uncheck();
    await at.dialog.getByRole('button', { name: 'Create' }).click();
    await row().getByText('1 users').waitFor();
    expect(await ours()).toMatchObject([{ status: 'active', notify: false, reason: 'Court order.', until: null }]);
    const looks = new ConsoleLooks(at.page);
    await looks.settled();
    expect(await looks.faults('holds')).toEqual([]);
    await row().getByRole('button', { name: 'Actions' }).click();
    await at.page.getByRole('menuitem', { name: 'Release' }).click();
    await at.dialog.getByLabel('Reason').fill('Settled.');
    await at.dialog.getByRole('button', { name: 'Release' }).click();
    await eventually(async () => (await ours())[0]?.status === 'released');
    await row().getByText('Released', { exact: true }).waitFor();
  });
});
