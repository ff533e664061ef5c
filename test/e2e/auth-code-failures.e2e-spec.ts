import { QueuedMailStore } from '../../src/integrations/mail/queued-mail.store';
import { createUser, PASSWORD, type TestAccount } from '../support/accounts';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';
import { SignInClient, wrongCode } from '../support/sign-in-client';
import { useTestApp } from '../support/use-app';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a hundred wrong codes', () => {
  const app = useTestApp({
    TRUST_PROXY: '1',
    CODE_PER_CLIENT_HOURLY: '100',
    CODE_PER_ADDRESS_DAILY: '1000',
    CODE_PER_ADDRESS_HOURLY: '1000',
  });
  const stranger = (host: number) => new SignInClient(app, `203.0.113.${host}`);

  /** A hundred in a row, by few clients. */
  async function guessHundred({ email }: TestAccount, ...clients: SignInClient[]): Promise<void> {
    for (let failures = 0; failures < 100;) {
      app.advanceClock(11 * MINUTE);
      const code = await clients[0]!.receive({ email }, 'login');
      for (const client of clients) {
        for (let step = 1; step <= 5 && failures < 100; step++, failures++) {
          expectFailure(await client.verify(email, wrongCode(code, step)), 400, 'INVALID_CODE');
        }
      }
    }
  }

  beforeAll(() => {
    app.freezeClock();
  });

  it('by unknown clients lock out all unknown clients for a day, silently, and no known client', async () => {
    const account = await createUser(app);
    const owner = new SignInClient(app, '198.51.100.1');
    await owner.logIn(account.email, PASSWORD);
    await guessHundred(account, stranger(1), stranger(2));
    app.advanceClock(11 * MINUTE);
    const code = await owner.receive(account, 'login');
    expectFailure(await stranger(3).verify(account.email, code), 400, 'INVALID_CODE');
    const before = app.mails.mailsTo(account.email).length;
    expect((await stranger(3).send(account.email, 'reset_password')).status).toBe(200);
    await eventually(async () => (await app.app.get(QueuedMailStore).count()) === 0);
    expect(app.mails.mailsTo(account.email)).toHaveLength(before);
    expect((await owner.verify(account.email, code)).status).toBe(200);

    // The owner's successes do not reset the count of unknown clients.
    app.advanceClock(23 * HOUR);
    const later = await owner.receive(account, 'login');
    expectFailure(await stranger(4).verify(account.email, later), 400, 'INVALID_CODE');
    app.advanceClock(HOUR);
    const next = await stranger(4).receive(account, 'login');
    expect((await stranger(4).verify(account.email, next)).status).toBe(200);
  });

  it('by a client that the account knows lock out only that client', async () => {
    const account = await createUser(app);
    const [phone, laptop] = [new SignInClient(app, '198.51.100.2'), new SignInClient(app, '198.51.100.3')];
    await phone.logIn(account.email, PASSWORD);
    await laptop.logIn(account.email, PASSWORD);
    await guessHundred(account, phone);
    app.advanceClock(11 * MINUTE);
    const code = await laptop.receive(account, 'login');
    expectFailure(await phone.verify(account.email, code), 400, 'INVALID_CODE');
    expect((await phone.send(account.email, 'login')).status).toBe(200);
    expect((await laptop.verify(account.email, code)).status).toBe(200);
    app.advanceClock(24 * HOUR);
    expect((await phone.verify(account.email, await phone.receive(account, 'login'))).status).toBe(200);
  });
});
