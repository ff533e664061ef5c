// @databases sqlite: the rows are only counted
import { Database } from '../../src/database/database';
import { QueuedMailStore } from '../../src/integrations/mail/queued-mail.store';
import { createUser, newcomer, PASSWORD, type TestAccount } from '../support/accounts';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';
import { SignInClient } from '../support/sign-in-client';
import { useTestApp } from '../support/use-app';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('the send limits of codes', () => {
  const app = useTestApp({ TRUST_PROXY: '1', CODE_RESEND_SECONDS: '60', CODE_PER_CLIENT_HOURLY: '100' });
  let account: TestAccount;
  let tests = 0;

  const client = (host: number) => new SignInClient(app, `198.51.${tests}.${host}`);
  const mailsTo = async (email: string) => {
    await eventually(async () => (await app.app.get(QueuedMailStore).count()) === 0);
    return app.mails.mailsTo(email).length;
  };

  beforeAll(() => {
    app.freezeClock();
  });

  beforeEach(async () => {
    app.advanceClock(25 * HOUR);
    tests++;
    account = await createUser(app);
  });

  it('show a client only its own requests', async () => {
    const { email } = account;
    expect((await client(1).send(email, 'login')).status).toBe(200);
    app.advanceClock(20 * SECOND);
    expect((await client(2).send(email, 'login')).status).toBe(200);
    expect(expectFailure(await client(1).send(email, 'login'), 429, 'CODE_SEND_TOO_FREQUENT').retry_after).toBe(40);
    expect(expectFailure(await client(2).send(email, 'login'), 429, 'CODE_SEND_TOO_FREQUENT').retry_after).toBe(60);
    expect(await mailsTo(email)).toBe(1);
    app.advanceClock(40 * SECOND);
    expect((await client(3).send(email, 'login')).status).toBe(200);
    expect(await mailsTo(email)).toBe(2);
  });

  it('apply to unknown clients together: one a minute, five an hour and ten a day', async () => {
    const { email } = account;
    const sent: number[] = [];
    for (let host = 0; host < 30; host++) {
      app.advanceClock(MINUTE);
      expect((await client(host).send(email, 'reset_password')).status).toBe(200);
    }
    sent.push(await mailsTo(email));
    app.advanceClock(HOUR);
    for (let host = 30; host < 60; host++) {
      app.advanceClock(MINUTE);
      expect((await client(host).send(email, 'login')).status).toBe(200);
    }
    sent.push(await mailsTo(email));
    app.advanceClock(2 * HOUR);
    expect((await client(99).send(email, 'login')).status).toBe(200);
    sent.push(await mailsTo(email));
    expect(sent).toEqual([5, 10, 10]);
  });

  it('send one mail for thirty concurrent requests of unknown clients', async () => {
    const { email } = account;
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_element, host) => client(host).send(email, 'login')),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await mailsTo(email)).toBe(1);
    // Held-back requests use up nothing.
    app.advanceClock(MINUTE);
    expect((await client(99).send(email, 'login')).status).toBe(200);
    expect(await mailsTo(email)).toBe(2);
  });

  it('are separate for a known client, and do not affect those of unknown clients', async () => {
    const owner = client(200);
    await owner.logIn(account.email, PASSWORD);
    for (let host = 0; host < 6; host++) {
      app.advanceClock(MINUTE);
      await client(host).send(account.email, 'login');
    }
    expect(await mailsTo(account.email)).toBe(5);
    for (let times = 0; times < 5; times++) {
      app.advanceClock(MINUTE);
      expect((await owner.send(account.email, 'login')).status).toBe(200);
    }
    expect(await mailsTo(account.email)).toBe(10);
    app.advanceClock(MINUTE);
    expectFailure(await owner.send(account.email, 'login'), 429, 'CODE_SEND_TOO_FREQUENT');
    app.advanceClock(HOUR);
    expect((await client(9).send(account.email, 'login')).status).toBe(200);
    expect(await mailsTo(account.email)).toBe(11);
  });

  it('are the same for an address without an account', async () => {
    const answersFor = async (email: string) => {
      const answers: [number, string][] = [];
      const ask = async (host: number) => {
        const { status, text } = await client(host).send(email, 'login');
        answers.push([status, text.replace(/"timestamp":"[^"]*"/, '')]);
      };
      for (let host = 0; host < 8; host++) {
        await ask(host);
        await ask(host);
        app.advanceClock(20 * SECOND);
      }
      for (let times = 0; times < 6; times++) {
        await ask(100);
        app.advanceClock(MINUTE);
      }
      return answers;
    };
    const known = await answersFor(account.email);
    tests++;
    expect(await answersFor(newcomer().email)).toEqual(known);
    expect(new Set(known.map(([status]) => status))).toEqual(new Set([200, 429]));
  });

  it('cost the same statements for an address without an account', async () => {
    const work = async (email: string, host: number): Promise<string[]> => {
      const log = jest.spyOn(app.app.get(Database).manager.dataSource.logger, 'logQuery');
      expect((await client(host).send(email, 'login')).status).toBe(200);
      const statements = log.mock.calls.map(([statement]) => statement);
      log.mockRestore();
      // Background work uses other tables, claims queued mails, and reads who owns queued jobs.
      return statements.filter(
        (text) =>
          (/\b(users|known_clients|attempt_logs|verification_codes)\b/.test(text) &&
            !text.includes('knowledge_jobs')) ||
          /^INSERT INTO .queued_mails/.test(text),
      );
    };
    const [known, unknown] = [account.email, newcomer().email];
    // Created, held back, sent again.
    for (const [host, wait] of [
      [1, 0],
      [2, 0],
      [3, MINUTE],
    ] as const) {
      app.advanceClock(wait);
      const statements = await work(known, host);
      expect(statements.length).toBeGreaterThan(8);
      expect(await work(unknown, 100 + host)).toEqual(statements);
    }
  });
});
