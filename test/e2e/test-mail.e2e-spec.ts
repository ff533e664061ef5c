import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { TestMailResultDto } from '../../src/modules/admin/settings/email-test.dto';
import { createUser } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { makeKey } from '../support/api-keys';
import { call, expectFailure } from '../support/http';
import { freePort } from '../support/servers/free-port';
import { startTestApp, type TestApp } from '../support/test-app';

describe('a test mail', () => {
  let app: TestApp;
  let admin: AdminClient;

  const send = async (body?: object) =>
    (await admin.post<TestMailResultDto>('/admin/settings/test_mail', body)).body.data;

  beforeAll(async () => {
    app = await startTestApp();
    admin = await AdminClient.of(app);
  });

  afterEach(() => app.mails.behave());

  afterAll(() => app.close());

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
    for (const to of ['nobody', 'a@example.com, b@example.com', 7]) {
      expectFailure(await admin.post('/admin/settings/test_mail', { to }), 422, 'VALIDATION_ERROR');
    }
  });
});
