// @databases mariadb: two instances share one database
import type { TestMailResultDto } from '../../src/modules/admin/settings/email-test.dto';
import type { SettingsDto } from '../../src/modules/admin/settings/settings.dto';
import { newcomer } from '../support/accounts';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance } from '../support/test-app';
import { useAdmin, useOwnTestApp } from '../support/use-app';

const OWN = '"Acme, Inc." <hello@acme.example>';

describe('the sender of mails', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);

  const set = (mail_from: unknown) => admin.put<SettingsDto>('/admin/settings', { mail_from });
  const tried = async () => (await admin.post<TestMailResultDto>('/admin/settings/test_mail')).body.data;
  const codeFor = async () => {
    const { email } = newcomer();
    await call(`${app.url}/auth/send_code`, { method: 'POST', body: { email, purpose: 'register' } });
    return app.mails.waitForMail(email);
  };

  it("is MAIL_FROM, and the administrator's value from the next mail on", async () => {
    expect((await admin.get<SettingsDto>('/admin/settings')).body.data.mail_from).toBeNull();
    expect((await codeFor()).from).toMatchObject({ name: 'Chat', address: 'chat@service.test' });

    const changed = await set(OWN);
    expect([changed.status, changed.body.data.mail_from]).toEqual([200, OWN]);
    expect((await admin.entriesOf(changed))[0]).toMatchObject({
      action: 'settings.update',
      before: { mail_from: null },
      after: { mail_from: OWN },
    });
    const mail = await codeFor();
    expect(mail.from).toMatchObject({ name: 'Acme, Inc.', address: 'hello@acme.example' });
    expect(mail.messageId).toMatch(/@acme\.example>$/);
    expect(mail.subject).toContain('Acme, Inc.');
    expect(await tried()).toMatchObject({ ok: true, sender: 'Acme, Inc. <hello@acme.example>' });
    const trial = await app.mails.waitForMail(admin.account.email);
    expect(trial.from).toMatchObject({ name: 'Acme, Inc.', address: 'hello@acme.example' });

    await set(null);
    expect((await codeFor()).from).toMatchObject({ name: 'Chat', address: 'chat@service.test' });
  });

  it('has the name of the installation if it has none', async () => {
    await admin.put('/admin/settings', { mail_from: 'hello@acme.example', name: 'Acme Assistant' });
    expect((await codeFor()).from).toMatchObject({ name: 'Acme Assistant', address: 'hello@acme.example' });
    await admin.put('/admin/settings', { mail_from: null, name: null });
  });

  it('is one mailbox', async () => {
    const { details } = expectFailure(await set('a@example.com, b@example.com'), 422, 'VALIDATION_ERROR');
    expect(details).toMatchObject({ field: 'mail_from' });
    expect((await admin.get<SettingsDto>('/admin/settings')).body.data.mail_from).toBeNull();
  });

  // Only a server's database has several instances.
  if (databaseEngine() !== 'sqlite') {
    it('applies to the other instances too, without a restart', async () => {
      const other = await startInstance(app.environment);
      const { token } = admin.account;
      const senderThere = async () =>
        (await call<{ data: TestMailResultDto }>(`${other.url}/admin/settings/test_mail`, { method: 'POST', token }))
          .body.data.sender;
      expect(await senderThere()).toBe('Chat <chat@service.test>');
      await set(OWN);
      await eventually(async () => (await senderThere()) === 'Acme, Inc. <hello@acme.example>', 30);
      await other.app.close();
    });
  }
});
