// @databases mariadb: requests at the same time
import { Database } from '../../src/database/database';
import { QueuedMailStore } from '../../src/integrations/mail/queued-mail.store';
import { AttemptLogEntity } from '../../src/modules/auth/attempts/attempt-log.entity';
import { AuthRetention } from '../../src/modules/auth/auth.retention';
import { VerificationCodeEntity } from '../../src/modules/auth/codes/verification-code.entity';
import { createUser, newcomer, receiveCode } from '../support/accounts';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { startTestApp } from '../support/test-app';
import { useTestApp } from '../support/use-app';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('one-time codes', () => {
  const app = useTestApp({ CODE_RESEND_SECONDS: '60', CODE_PER_CLIENT_HOURLY: '20', TRUST_PROXY: '1' });
  const post = (path: string, body: unknown) => call(`${app.url}${path}`, { method: 'POST', body });
  const send = (email: string, purpose: string, headers?: Record<string, string>) =>
    call(`${app.url}/auth/send_code`, { body: { email, purpose }, headers });
  const verify = (email: string, code: string) => post('/auth/verify', { email, code });
  /** A code different from this one. */
  const wrong = (code: string, step = 1) => String((Number(code) + step) % 1_000_000).padStart(6, '0');

  beforeAll(() => {
    app.freezeClock();
  });

  beforeEach(() => app.advanceClock(25 * HOUR));
  it('are sent once a minute for each address and purpose', async () => {
    const { email } = await createUser(app);
    expect((await send(email, 'login')).status).toBe(200);
    const answer = await send(email, 'login');
    const error = expectFailure(answer, 429, 'CODE_SEND_TOO_FREQUENT');
    expect(error.retry_after).toBe(60);
    expect(answer.headers.get('retry-after')).toBe(String(error.retry_after));
    expect((await send(email, 'reset_password')).status).toBe(200);
    app.advanceClock(MINUTE);
    expect((await send(email, 'login')).status).toBe(200);
  });

  it('are sent to an address five times an hour and ten times a day', async () => {
    const { email } = newcomer();
    const sendAfterMinute = () => {
      app.advanceClock(MINUTE);
      return send(email, 'register');
    };
    for (let times = 0; times < 5; times++) {
      expect((await sendAfterMinute()).status).toBe(200);
    }
    const hourly = expectFailure(await sendAfterMinute(), 429, 'CODE_SEND_TOO_FREQUENT');
    expect(hourly.retry_after).toBe(55 * 60);
    app.advanceClock(HOUR);
    for (let times = 0; times < 5; times++) {
      expect((await sendAfterMinute()).status).toBe(200);
    }
    app.advanceClock(2 * HOUR);
    const daily = expectFailure(await sendAfterMinute(), 429, 'CODE_SEND_TOO_FREQUENT');
    expect(daily.retry_after).toBeGreaterThan(20 * 3_600);
  });

  it('are sent twenty times an hour for one client, to any address', async () => {
    const client = (address: string) => send(newcomer().email, 'register', { 'x-forwarded-for': address });
    for (let times = 0; times < 20; times++) {
      expect((await client(`2001:db8:1:2::${times}`)).status).toBe(200);
    }
    expectFailure(await client('2001:db8:1:2:3::1'), 429, 'CODE_SEND_TOO_FREQUENT');
    expect((await client('2001:db8:1:3::1')).status).toBe(200);
  });

  it('are sent once for thirty concurrent requests', async () => {
    const { email } = newcomer();
    const answers = await Promise.all(Array.from({ length: 30 }, () => send(email, 'register')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(29);
  });

  it.each([
    [
      'with full-width digits',
      (code: string) => code.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)),
    ],
    ['with blanks and a hyphen', (code: string) => ` ${code.slice(0, 3)} - ${code.slice(3)}\u3000`],
  ])('may be typed %s', async (_how, typed) => {
    const { email } = await createUser(app);
    const code = await receiveCode(app, email, 'login');
    expectFailure(await verify(email, typed(wrong(code))), 400, 'INVALID_CODE');
    expect((await verify(email, typed(code))).status).toBe(200);
  });

  it('stop working after ten minutes', async () => {
    const { email } = await createUser(app);
    const code = await receiveCode(app, email, 'login');
    app.advanceClock(10 * MINUTE);
    expectFailure(await verify(email, code), 400, 'INVALID_CODE');
  });

  it('allow four wrong attempts, but not a fifth', async () => {
    const { email } = await createUser(app);
    const first = await receiveCode(app, email, 'login');
    for (let times = 1; times <= 4; times++) {
      expectFailure(await verify(email, wrong(first, times)), 400, 'INVALID_CODE');
    }
    expect((await verify(email, first)).status).toBe(200);

    app.advanceClock(MINUTE);
    const second = await receiveCode(app, email, 'login');
    for (let times = 1; times <= 5; times++) {
      expectFailure(await verify(email, wrong(second, times)), 400, 'INVALID_CODE');
    }
    expectFailure(await verify(email, second), 400, 'INVALID_CODE');
  });

  it('become useless after five wrong attempts, even fifty concurrent ones', async () => {
    const { email } = await createUser(app);
    const code = await receiveCode(app, email, 'login');
    const tries = Array.from({ length: 50 }, (_element, index) => verify(email, wrong(code, index + 1)));
    const answers = await Promise.all(tries);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
    expectFailure(await verify(email, code), 400, 'INVALID_CODE');
  });

  it('accept exactly one of fifty concurrent correct attempts', async () => {
    const { email } = await createUser(app);
    const code = await receiveCode(app, email, 'login');
    const answers = await Promise.all(Array.from({ length: 50 }, () => verify(email, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(49);
  });

  it('are refused for a day after a hundred wrong attempts in a row', async () => {
    const { email } = await createUser(app);
    let code = '';
    for (let failures = 0; failures < 100; failures += 5) {
      app.advanceClock(3 * HOUR);
      code = await receiveCode(app, email, 'login');
      const answers = await Promise.all([1, 2, 3, 4, 5].map((step) => verify(email, wrong(code, step))));
      answers.forEach((answer) => expectFailure(answer, 400, 'INVALID_CODE'));
    }
    expectFailure(await verify(email, code), 400, 'INVALID_CODE');
    const before = app.mails.mailsTo(email).length;
    expect((await send(email, 'reset_password')).status).toBe(200);
    await eventually(async () => (await app.app.get(QueuedMailStore).count()) === 0);
    expect(app.mails.mailsTo(email)).toHaveLength(before);
    app.advanceClock(24 * HOUR);
    code = await receiveCode(app, email, 'login');
    expect((await verify(email, code)).status).toBe(200);
  });

  it('get the same answer for unknown addresses, but no mail is sent', async () => {
    const known = await createUser(app);
    const unknown = newcomer();
    for (const purpose of ['login', 'reset_password']) {
      const [one, other] = [await send(known.email, purpose), await send(unknown.email, purpose)];
      expect(other.status).toBe(200);
      expect(other.body).toEqual(one.body);
      expectFailure(await send(unknown.email, purpose), 429, 'CODE_SEND_TOO_FREQUENT');
    }
    await app.mails.waitForMail(known.email, ({ subject }) => /password reset/.test(subject ?? ''));
    const later = newcomer();
    await receiveCode(app, later.email, 'register');
    expect(app.mails.mailsTo(unknown.email)).toEqual([]);
  });

  it('do not accumulate', async () => {
    const { email } = await createUser(app);
    await receiveCode(app, email, 'login');
    await call(`${app.url}/auth/login`, { body: { email, password: 'wrong password' } });
    const tables = app.app.get(Database);
    const count = async () =>
      (await tables.repository(VerificationCodeEntity).count()) + (await tables.repository(AttemptLogEntity).count());
    expect(await count()).toBeGreaterThan(0);
    app.advanceClock(31 * 24 * HOUR);
    await app.app.get(AuthRetention).clean();
    expect(await count()).toBe(0);
  });

  it('are replaced by a hint when the address already has an account', async () => {
    const { email } = await createUser(app);
    const answer = await send(email, 'register');
    expect(answer.status).toBe(200);
    const mail = await app.mails.waitForMail(email);
    expect(mail.subject).toMatch(/already have/);
    expect(mail.text).not.toMatch(/\b\d{6}\b/);
  });
});

describe('one-time codes without a mail server', () => {
  it('are created for no address', async () => {
    const app = await startTestApp({ CODE_RESEND_SECONDS: '60' });
    try {
      const known = await createUser(app);
      await app.mails.refuseConnections();
      app.advanceClock(MINUTE);
      for (const email of [known.email, newcomer().email]) {
        const answer = await call(`${app.url}/auth/send_code`, { body: { email, purpose: 'login' } });
        const error = expectFailure(answer, 503, 'EMAIL_SEND_FAILED');
        expect(error.retry_after).toBeGreaterThan(0);
      }
    } finally {
      await app.close();
    }
  });
});
