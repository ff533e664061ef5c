import { newcomer } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { startTestApp, type TestApp } from '../support/test-app';

describe('a service without a mail server', () => {
  let app: TestApp;
  let printed: jest.SpyInstance;

  beforeAll(async () => {
    app = await startTestApp({ SMTP_URL: '' });
  });

  beforeEach(() => {
    printed = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  });

  afterAll(() => app.close());

  /** Waits until the log contains a mail to this address. */
  const isPrinted = (address: string) =>
    eventually(() => printed.mock.calls.some(([line]) => String(line).includes(`To: ${address}`)), 20);

  it('reports in its health status that there is none', async () => {
    const { body } = await call<{ checks: { mail: object } }>(`${app.origin}/health`);
    expect(body.checks.mail).toEqual({ status: 'absent', required: false });
  });

  it('reports for a test mail that it is only in the log', async () => {
    const admin = await AdminClient.of(app);
    const { body } = await admin.post('/admin/email/test', { to: 'ops@example.com' });
    expect(body).toMatchObject({
      message:
        'No mail server is configured, so the test email was only written to the service log. Set SMTP_URL to send email.',
      data: { to: 'ops@example.com', delivery: 'log' },
    });
    await isPrinted('ops@example.com');
    // It is in the log whether or not mails are sent.
    expect(printed.mock.calls.join('\n')).not.toMatch(/mail settings work|since it has arrived/i);
  });

  it('reports for a code that it is only in the log, to any caller', async () => {
    const { email } = newcomer();
    const answer = await call(`${app.url}/auth/send_code`, { body: { email, purpose: 'register' } });
    const other = await call<{ message: string }>(`${app.url}/auth/send_code`, {
      body: { email: newcomer().email, purpose: 'login' },
    });
    expect(other.body).toMatchObject({ message: (answer.body as typeof other.body).message });
    expect({ status: answer.status, body: answer.body }).toMatchObject({
      status: 200,
      body: {
        message: 'No mail server is configured. If this address can receive a code, it is in the service log.',
      },
    });
    await isPrinted(email);
  });
});
