// @databases mariadb: two instances share one database
import { Database } from '../../src/database/database';
import { QueuedMailStore } from '../../src/integrations/mail/queued-mail.store';
import { VerificationCodeEntity } from '../../src/modules/auth/codes/verification-code.entity';
import { createUser, PASSWORD } from '../support/accounts';
import { eventually } from '../support/eventually';
import { databaseEngine } from '../support/servers/test-database';
import { SignInClient, wrongCode } from '../support/sign-in-client';
import { startInstance, startTestApp, type TestApp } from '../support/test-app';

/** A SQLite file belongs to one process, so there both are the same instance. */
describe('attempts on two instances', () => {
  let first: TestApp;
  let second: Pick<TestApp, 'app' | 'url'> | undefined;

  /** A client that alternates between both instances. */
  const at = (index: number, address: string): SignInClient =>
    new SignInClient(index % 2 === 0 ? first : { ...first, ...second }, address);
  const times = <Result>(count: number, act: (index: number) => Promise<Result>): Promise<Result[]> =>
    Promise.all(Array.from({ length: count }, (_element, index) => act(index)));

  beforeAll(async () => {
    first = await startTestApp({ TRUST_PROXY: '1', CODE_RESEND_SECONDS: '60' });
    second = databaseEngine() === 'sqlite' ? undefined : await startInstance(first.environment);
  });

  afterAll(async () => {
    await second?.app.close();
    await first.close();
  });

  it('are counted together: ten passwords from unknown clients, and ten from a known device', async () => {
    const { email } = await createUser(first);
    const owner = at(0, '198.51.100.1');
    await owner.logIn(email, PASSWORD);
    const guesses = await times(40, (index) => at(index, `203.0.113.${index}`).logIn(email, 'a wrong password'));
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(10);
    const known = await times(40, (index) =>
      at(index, '192.0.2.1').takeDevice(owner.device).logIn(email, 'a wrong password'),
    );
    expect(known.filter(({ status }) => status === 401)).toHaveLength(10);
  });

  it('are counted together: one mail for many unknown clients, five guesses each, and fifty in total', async () => {
    const { email } = await createUser(first);
    const asked = await times(20, (index) => at(index, `203.0.113.${index}`).send(email, 'login'));
    expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 200));
    const mail = await first.mails.waitForMail(email);
    await eventually(async () => (await first.app.get(QueuedMailStore).count()) === 0);
    expect(first.mails.mailsTo(email)).toHaveLength(1);
    const code = /\b\d{6}\b/.exec(mail.text ?? '')?.[0] ?? '';
    const stored = () =>
      first.app
        .get(Database)
        .repository(VerificationCodeEntity)
        .findOneOrFail({ where: {}, order: { id: 'DESC' } });
    await times(20, (index) => at(index, '203.0.113.1').verify(email, wrongCode(code, index + 1)));
    expect((await stored()).attempts).toBe(5);
    await times(100, (index) => at(index, `203.0.113.${index % 20}`).verify(email, wrongCode(code, index + 1)));
    expect((await stored()).attempts).toBe(50);
    expect((await at(1, '192.0.2.9').verify(email, code)).status).toBe(400);
  });
});
