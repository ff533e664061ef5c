import { Logger } from '@nestjs/common';
import { register } from 'prom-client';
import { MailDeliveryError } from '../../src/integrations/mail/mail-delivery.error';
import { ALREADY_REGISTERED, CODE_MAILS } from '../../src/modules/auth/auth.mails';
import { eventually } from '../support/eventually';
import { createTestDatabase } from '../support/servers/test-database';
import { MailService, ScriptedTransport } from './mail-queue.harness';

describe('the mail worker', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let transport: ScriptedTransport;
  let service: MailService;

  beforeEach(async () => {
    database = await createTestDatabase();
    transport = new ScriptedTransport();
    service = await MailService.start({ DATABASE_URL: database.url }, transport);
  });

  afterEach(async () => {
    await service.close();
    await database.drop();
  });

  const dropped = async (): Promise<number> => {
    const line = (await register.metrics()).match(/^mail_failures_total\{consequence="dropped"\} (\d+)$/m);
    return Number(line?.[1]);
  };

  const isEmpty = async () => (await service.waiting()).length === 0;
  const isSent = (to: string) => eventually(() => transport.sent.includes(to));

  it('sends each of many mails once', async () => {
    const addresses = Array.from({ length: 40 }, (_element, index) => `user${index}@example.com`);
    await Promise.all(addresses.map((address) => service.postTo(address)));
    await eventually(isEmpty);
    expect([...transport.sent].sort()).toEqual([...addresses].sort());
  });

  it('does not delay the next mail because of a slow one', async () => {
    let release = () => {};
    const slow = new Promise<void>((resolve) => (release = resolve));
    transport.beforeSend = ({ to }) => (to === 'slow@example.com' ? slow : undefined);
    await service.postTo('slow@example.com');
    await service.postTo('quick@example.com');
    await isSent('quick@example.com');
    expect(transport.sent).not.toContain('slow@example.com');
    release();
    await eventually(isEmpty);
  });

  it('assigns a mail to one worker only, even with concurrent claims', async () => {
    transport.isAway = true;
    await Promise.all(Array.from({ length: 20 }, (_element, index) => service.postTo(`user${index}@example.com`)));
    await eventually(() => !service.queue.status().up);
    service.advanceClock(2_000);
    const claims = await Promise.all(Array.from({ length: 8 }, () => service.store.claim(5)));
    const ids = claims.flatMap(({ mails }) => mails.map(({ id }) => id));
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('takes over the claims of a dead worker, and ignores that worker if it comes back', async () => {
    transport.isAway = true;
    await service.postTo('ada@example.com');
    await service.failedTimes(1);
    service.advanceClock(2_000);
    const [first] = (await service.store.claim(1)).mails;
    expect((await service.store.claim(1)).mails).toEqual([]);
    service.advanceClock(121_000);
    const [second] = (await service.store.claim(1)).mails;
    expect(second).toMatchObject({ id: first!.id, attempts: first!.attempts + 1 });
    await service.store.postpone(first!, new Date(0));
    expect((await service.waiting())[0]?.claimToken).toBe(second!.claimToken);
  });

  it('drops an expired mail, even while the server is down, and reports each', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const droppedBefore = await dropped();
    transport.isAway = true;
    const soon = new Date(Date.now() + 60_000);
    await service.postTo('late@example.com', { expiresAt: soon });
    await eventually(() => !service.queue.status().up);
    service.advanceClock(61_000);
    service.wake();
    await eventually(isEmpty);
    await service.postTo('too-late@example.com', { expiresAt: soon });
    await service.postTo('ada@example.com');
    transport.isAway = false;
    service.wake();
    await isSent('ada@example.com');
    await eventually(isEmpty);
    expect(transport.sent).toEqual(['ada@example.com']);
    const sentence = 'A mail was dropped: it had expired before it could be sent.';
    const facts = { mail_id: expect.any(Number), kind: ALREADY_REGISTERED.kind };
    expect(warn.mock.calls.filter(([, text]) => text === sentence)).toEqual([
      [facts, sentence],
      [facts, sentence],
    ]);
    expect((await dropped()) - droppedBefore).toBe(2);
  });

  it('replaces a queued mail with a newer one of the same key', async () => {
    transport.isAway = true;
    await service.postTo('old@example.com', { dedupeKey: 'login:1' });
    await service.postTo('new@example.com', { dedupeKey: 'login:1' });
    await service.postTo('other@example.com', { dedupeKey: 'login:2' });
    expect((await service.waiting()).map(({ recipient }) => recipient)).toEqual([
      'new@example.com',
      'other@example.com',
    ]);
  });

  it('waits longer after each failure', async () => {
    service.freezeClock();
    transport.beforeSend = () => Promise.reject(new MailDeliveryError('temporary', 'later'));
    await service.postTo('ada@example.com');
    const pauses: number[] = [];
    for (const attempt of [1, 2, 3]) {
      const { dueAt } = await service.failedTimes(attempt);
      const pause = dueAt.getTime() - service.now().getTime();
      pauses.push(pause);
      service.advanceClock(pause);
      service.wake();
    }
    expect(pauses).toEqual([1_000, 5_000, 30_000]);
  });

  it('does not send twice when the database first fails to delete the row', async () => {
    jest.spyOn(service.store, 'remove').mockRejectedValueOnce(new Error('database away'));
    await service.postTo('ada@example.com');
    await eventually(isEmpty);
    expect(transport.sent).toEqual(['ada@example.com']);
  });

  it('drops a mail that cannot be rendered', async () => {
    await service.post({
      mail: { ...ALREADY_REGISTERED, kind: 'no_such_kind' },
      to: 'ada@example.com',
      language: 'en',
      values: {},
    });
    await eventually(isEmpty);
    expect(transport.attempts).toBe(0);
  });

  it('stores the text of a queued mail encrypted', async () => {
    transport.isAway = true;
    const values = { code: '048213', validSeconds: 600 };
    await service.post({ mail: CODE_MAILS.login, to: 'ada@example.com', language: 'en', values });
    await service.postTo('eve@example.com');
    const waiting = await service.waiting();
    expect(waiting.map(({ recipient }) => recipient)).toEqual(['ada@example.com', 'eve@example.com']);
    expect(JSON.stringify(waiting)).not.toMatch(/048213|validSeconds/);
    expect(waiting[0]?.payload).toMatch(/^v1\./);
  });

  it('drops a mail encrypted with another JWT_SECRET with one line in the log, and sends the next', async () => {
    transport.isAway = true;
    const values = { code: '048213', validSeconds: 600 };
    await service.post({ mail: CODE_MAILS.login, to: 'ada@example.com', language: 'en', values });
    await service.close();
    transport = new ScriptedTransport();
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const JWT_SECRET = 'Wq7nB2vKs9dLx4TzPf6HcRm1YjGu8EaZo3XiNt5C';
    service = await MailService.start({ DATABASE_URL: database.url, JWT_SECRET }, transport);
    await service.postTo('eve@example.com');
    await isSent('eve@example.com');
    await eventually(isEmpty);
    expect(transport.sent).toEqual(['eve@example.com']);
    const facts = { mail_id: expect.any(Number), kind: 'login_code', error: expect.any(Error) };
    expect(warn.mock.calls).toEqual([[facts, 'A mail was dropped.']]);
    expect(String(warn.mock.calls[0]?.[0].error)).toContain('JWT_SECRET');
  });

  it('finishes running sends before the process exits', async () => {
    let release = () => {};
    transport.beforeSend = () => new Promise<void>((resolve) => (release = resolve));
    await service.postTo('ada@example.com');
    await eventually(() => transport.attempts === 1);
    const closing = jest.spyOn(service.database, 'onApplicationShutdown');
    const closed = service.close();
    // Long enough for a process that does not wait to have closed its database.
    await eventually(() => closing.mock.calls.length > 0, 0.2).catch(() => undefined);
    expect(closing).not.toHaveBeenCalled();
    release();
    await closed;
    expect(transport.sent).toEqual(['ada@example.com']);
    service = await MailService.start({ DATABASE_URL: database.url }, transport);
    expect(await service.waiting()).toEqual([]);
  });
});
