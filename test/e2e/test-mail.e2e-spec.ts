import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { LANGUAGES } from '../../src/common/i18n/language';
import type { TestMailResultDto } from '../../src/modules/admin/settings/email-test.dto';
import { createUser } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { makeKey } from '../support/api-keys';
import { call, expectFailure } from '../support/http';
import { freePort } from '../support/servers/free-port';
import { startTestApp } from '../support/test-app';
import { useAdmin, useOwnTestApp } from '../support/use-app';

const app = useOwnTestApp();
const admin = useAdmin(app);

describe('a test mail', () => {
  const send = async (body?: object) =>
    (await admin.post<TestMailResultDto>('/admin/settings/test_mail', body)).body.data;

  afterEach(() => app.mails.behave());

  it('has arrived when the answer arrives, from the sender of all mails', async () => {
    const answer = await admin.post<TestMailResultDto>('/admin/settings/test_mail', { lang: 'de' });
    expect(answer.body.data).toEqual({
      ok: true,
      to: admin.account.email,
      sender: 'Chat <chat@service.test>',
      delivery: 'server',
      reason: null,
      status: null,
      message: null,
    });
    expect(app.mails.mailsTo(admin.account.email)).toHaveLength(1);
    expect((await admin.entriesOf(answer))[0]).toMatchObject({ action: 'email.test', after: {} });
    expect((await send({ to: 'Ops@Example.com' })).to).toBe('ops@example.com');
  });

  it("reports the mail server's error about the recipient or the sender, in its own words", async () => {
    app.mails.reject(550, 'no such mailbox');
    expect(await send()).toMatchObject({ ok: false, reason: 'receiver_refused', status: 550 });
    app.mails.behave();
    app.mails.rejectSenders(553, 'not your address');
    const { message, ...rest } = await send();
    expect(rest).toMatchObject({ ok: false, reason: 'sender_refused', status: 553 });
    expect(message).toContain('not your address');
  });

  it('reports a refused connection, login and certificate', async () => {
    const tried = async (SMTP_URL: string) => {
      const other = await startTestApp({ SMTP_URL });
      const client = await AdminClient.of(other);
      const { body } = await client.post<TestMailResultDto>('/admin/settings/test_mail');
      await other.close();
      return body.data;
    };
    expect(await tried(`smtp://127.0.0.1:${await freePort()}`)).toMatchObject({ ok: false, reason: 'unreachable' });
    const closed = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      onAuth: (_login, _session, callback) => callback(new Error('Authentication failed')),
    });
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const refused = await tried(`smtp://user:secret@127.0.0.1:${(closed.server.address() as AddressInfo).port}`);
    await new Promise<void>((resolve) => closed.close(resolve));
    expect(refused).toMatchObject({ ok: false, reason: 'login_refused' });
    expect(JSON.stringify(refused)).not.toContain('secret');
    expect(await tried(`smtps://127.0.0.1:${app.mails.port}`)).toMatchObject({
      ok: false,
      reason: 'encryption_failed',
    });
  });

  it('is for signed-in administrators, and for one address', async () => {
    const path = `${app.url}/admin/settings/test_mail`;
    const { token } = await createUser(app);
    expectFailure(await call(path, { method: 'POST', token }), 403, 'FORBIDDEN');
    const key = await makeKey(app, admin.account.token, { scopes: ['admin:write'] });
    expectFailure(await call(path, { method: 'POST', token: key.key }), 403, 'SCOPE_REQUIRED');
    expectFailure(await admin.post('/admin/settings/test_mail', { to: 'nobody' }), 422, 'VALIDATION_ERROR');
  });
});

describe('the language of an unrequested mail', () => {
  afterEach(() => admin.put('/admin/settings', { languages: LANGUAGES }));

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
