import { createUser } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { startTestApp, type TestApp } from '../support/test-app';

describe('the language of an unrequested mail', () => {
  let app: TestApp;
  let admin: AdminClient;

  beforeAll(async () => {
    app = await startTestApp();
    admin = await AdminClient.of(app);
  });

  afterAll(() => app.close());

  const closedMail = async (language: string | null) => {
    const { user, email } = await createUser(app, { language });
    expect((await admin.delete(`/admin/users/${user.id}`)).status).toBe(200);
    return (await app.mails.waitForMail(email)).headers.find(({ key }) => key === 'content-language')?.value;
  };

  it('is the recipient’s own, otherwise that of the installation, which is English by default', async () => {
    expect(await closedMail(null)).toBe('en');
    await admin.put('/admin/settings', { languages: ['fr', 'en'] });
    expect(await closedMail(null)).toBe('fr');
    expect(await closedMail('pt-BR')).toBe('fr');
    expect(await closedMail('ja')).toBe('ja');
  });
});
