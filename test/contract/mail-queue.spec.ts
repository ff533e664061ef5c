import { EmailSendFailedError } from '../../src/integrations/mail/mail.errors';
import { CODE_MAILS } from '../../src/modules/auth/auth.mails';
import { eventually } from '../support/eventually';
import { type SmtpTestServer, startSmtpServer } from '../support/servers/smtp-server';
import { createTestDatabase } from '../support/servers/test-database';
import { MailService } from './mail-queue.harness';

const code = { code: '048213', validSeconds: 600 };

describe('the mail queue, over SMTP', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let server: SmtpTestServer;
  let service: MailService;

  beforeEach(async () => {
    database = await createTestDatabase();
    server = await startSmtpServer();
    service = await MailService.start({ DATABASE_URL: database.url, SMTP_URL: server.url });
  });

  afterEach(async () => {
    await service.close();
    await server.stop();
    await database.drop();
  });

  it('sends after the commit, in the requested language, and deletes the mail', async () => {
    await service.post({ mail: CODE_MAILS.login, to: 'ada@example.com', language: 'de', values: code });
    const mail = await server.waitForMail('ada@example.com');
    expect(mail.subject).toBe('048213 ist Ihr Anmeldecode für Chat');
    expect(mail.text).toContain('048213');
    await eventually(async () => (await service.waiting()).length === 0);
  });

  it('sends nothing from a failed unit of work', async () => {
    const failing = service.database.write(async (manager) => {
      await service.queue.enqueue(manager, {
        mail: CODE_MAILS.login,
        to: 'eve@example.com',
        language: 'en',
        values: code,
      });
      throw new Error('taken back');
    });
    await expect(failing).rejects.toThrow('taken back');
    await service.postTo('ada@example.com');
    await server.waitForMail('ada@example.com');
    expect(server.mailsTo('eve@example.com')).toEqual([]);
  });

  it('retries a temporary failure under the same Message-ID', async () => {
    server.reject(451);
    await service.postTo('ada@example.com');
    const { messageId } = await service.failedTimes(1);
    server.behave();
    service.advanceClock(1_000);
    service.wake();
    const mail = await server.waitForMail('ada@example.com');
    expect(mail.messageId).toBe(`<${messageId}@service.test>`);
  });

  it('drops a mail after a permanent failure', async () => {
    server.reject(550);
    await service.postTo('nobody@example.com');
    await eventually(async () => (await service.waiting()).length === 0);
    expect(server.mails).toEqual([]);
  });

  it('reports it immediately when the server goes down, and sends queued mails when it is back', async () => {
    await service.queue.assertAvailable();
    await server.refuseConnections();
    await service.postTo('ada@example.com');
    await eventually(() => !service.queue.status().up);
    await expect(service.queue.assertAvailable()).rejects.toBeInstanceOf(EmailSendFailedError);
    await server.acceptConnections();
    service.wake();
    await server.waitForMail('ada@example.com');
    expect(service.queue.status()).toEqual({ up: true });
    await expect(service.queue.assertAvailable()).resolves.toBeUndefined();
  });

  it('refuses from the start if the server is down at the start', async () => {
    await service.close();
    await server.refuseConnections();
    service = await MailService.start({ DATABASE_URL: database.url, SMTP_URL: server.url });
    await expect(service.queue.assertAvailable()).rejects.toBeInstanceOf(EmailSendFailedError);
  });

  it('sends queued mails after a restart', async () => {
    await server.refuseConnections();
    await service.postTo('ada@example.com');
    await eventually(() => !service.queue.status().up);
    await service.close();
    await server.acceptConnections();
    service = await MailService.start({ DATABASE_URL: database.url, SMTP_URL: server.url });
    await server.waitForMail('ada@example.com');
    await eventually(async () => (await service.waiting()).length === 0);
    expect(server.mailsTo('ada@example.com')).toHaveLength(1);
  });
});
