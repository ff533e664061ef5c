import { MailerService } from '@nestjs-modules/mailer';
import { LoggingConfig } from '../../src/common/logging/logging.config';
import { LogTransport } from '../../src/integrations/mail/adapters/log-transport';
import { createSmtpPool } from '../../src/integrations/mail/adapters/smtp-pool';
import { SmtpTransport } from '../../src/integrations/mail/adapters/smtp-transport';
import { type MailMessage, type MailTransport } from '../../src/integrations/mail/mail-transport';
import { type SmtpTestServer, startSmtpServer } from '../support/servers/smtp-server';

const message: MailMessage = {
  messageId: '5f0c1d0e-1111-4222-8333-444455556666',
  from: { name: 'Chät, Inc.', address: 'chat@service.test' },
  to: 'ada@example.com',
  language: 'ja',
  subject: '048213 は確認コードです – 「Chat」',
  html: '<p>コード: <b>048213</b></p>',
  text: 'コード: 048213\n',
};

/** The output of an adapter, and how to stop it. */
interface Subject {
  transport: MailTransport;
  /** The text part of the sent mail. */
  delivered: () => Promise<string>;
  close: () => Promise<void>;
}

async function startSmtp(): Promise<Subject & { server: SmtpTestServer }> {
  const server = await startSmtpServer();
  const mailer = new MailerService({ transport: createSmtpPool(server.url) }, undefined as never);
  return {
    transport: new SmtpTransport(mailer),
    server,
    delivered: async () => (await server.waitForMail(message.to)).text ?? '',
    close: async () => {
      await mailer.onModuleDestroy();
      await server.stop();
    },
  };
}

function startLog(logging: Partial<LoggingConfig> = {}): Promise<Subject> {
  const written = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  return Promise.resolve({
    transport: new LogTransport(Object.assign(new LoggingConfig(), logging)),
    delivered: () => Promise.resolve(String(written.mock.lastCall?.[0])),
    close: () => Promise.resolve(),
  });
}

describe.each([
  ['SmtpTransport', startSmtp],
  ['LogTransport', () => startLog()],
])('%s as a MailTransport', (_name, start: () => Promise<Subject>) => {
  let subject: Subject;

  beforeEach(async () => {
    subject = await start();
  });
  afterEach(() => subject.close());

  it('sends the mail before it resolves', async () => {
    await subject.transport.send(message);
    expect(await subject.delivered()).toContain('コード: 048213');
  });

  it('reports that it is available', async () => {
    await expect(subject.transport.verify()).resolves.toBeUndefined();
  });

  it('sends many at once', async () => {
    await Promise.all(Array.from({ length: 12 }, () => subject.transport.send(message)));
    expect(await subject.delivered()).toContain('048213');
  });
});

describe('LogTransport', () => {
  it('shows recipient, subject and text to the developer', async () => {
    const { transport, delivered } = await startLog();
    await transport.send(message);
    expect(await delivered()).toMatch(/To: ada@example\.com\nSubject: 048213 は.*\n\nコード: 048213/);
  });

  it('stays one line in a JSON log', async () => {
    const { transport, delivered } = await startLog({ LOG_FORMAT: 'json' });
    await transport.send(message);
    expect(await delivered()).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(await delivered())).toMatchObject({ level: 'info', msg: expect.stringContaining(message.text) });
  });
});

describe('SmtpTransport', () => {
  let subject: Awaited<ReturnType<typeof startSmtp>>;

  beforeEach(async () => {
    subject = await startSmtp();
  });
  afterEach(() => subject.close());

  it('sends both parts and the machine-readable headers', async () => {
    await subject.transport.send(message);
    const mail = await subject.server.waitForMail(message.to);
    expect(mail.subject).toBe(message.subject);
    expect(mail.html).toContain('<b>048213</b>');
    expect(mail.from).toMatchObject({ name: 'Chät, Inc.', address: 'chat@service.test' });
    expect(mail.to).toMatchObject([{ address: 'ada@example.com' }]);
    expect(mail.messageId).toBe('<5f0c1d0e-1111-4222-8333-444455556666@service.test>');
    const headers = Object.fromEntries(mail.headers.map(({ key, value }) => [key, value]));
    expect(headers).toMatchObject({ 'auto-submitted': 'auto-generated', 'content-language': 'ja' });
  });

  it('never parses an address as a list or as a header', async () => {
    for (const to of ['ada@example.com, eve@example.com', 'ada@example.com\r\nBcc: eve@example.com']) {
      await subject.transport.send({ ...message, to }).catch(() => undefined);
    }
    expect(subject.server.mailsTo('eve@example.com')).toEqual([]);
  });

  it.each([
    [550, 'permanent'],
    [451, 'temporary'],
    [421, 'unreachable'],
  ])('treats a refusal with %d as %s', async (responseCode, fault) => {
    subject.server.reject(responseCode);
    await expect(subject.transport.send(message)).rejects.toMatchObject({ name: 'MailDeliveryError', fault });
  });

  it('reports a stopped server as unreachable, and reconnects to it later', async () => {
    await subject.server.refuseConnections();
    await expect(subject.transport.send(message)).rejects.toMatchObject({ fault: 'unreachable' });
    await expect(subject.transport.verify()).rejects.toMatchObject({ fault: 'unreachable' });
    await subject.server.acceptConnections();
    await expect(subject.transport.verify()).resolves.toBeUndefined();
    await subject.transport.send(message);
    expect(subject.server.mailsTo(message.to)).toHaveLength(1);
  });

  it('survives when the server closes a connection kept for the next mail', async () => {
    await subject.transport.send(message);
    await subject.server.refuseConnections();
    await subject.server.acceptConnections();
    await subject.transport.send(message);
    expect(subject.server.mailsTo(message.to)).toHaveLength(2);
  });
});
