// @databases mariadb: requests at the same time
import { Database } from '../../src/database/database';
import { VerificationCodeEntity } from '../../src/modules/auth/codes/verification-code.entity';
import { createUser, newcomer, type TestAccount } from '../support/accounts';
import { expectFailure } from '../support/http';
import { SignInClient, wrongCode } from '../support/sign-in-client';
import { useTestApp } from '../support/use-app';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('a one-time code', () => {
  const app = useTestApp({ TRUST_PROXY: '1', CODE_RESEND_SECONDS: '60', CODE_PER_CLIENT_HOURLY: '100' });
  let account: TestAccount;
  let client: SignInClient;
  let tests = 0;

  const stranger = (host: number) => new SignInClient(app, `203.0.${tests}.${host}`);
  const verify = (who: SignInClient, code: string) => who.verify(account.email, code);
  const guess = async (who: SignInClient, code: string, count: number, from = 1) => {
    const guesses = Array.from({ length: count }, (_element, index) => verify(who, wrongCode(code, from + index)));
    (await Promise.all(guesses)).forEach((answer) => expectFailure(answer, 400, 'INVALID_CODE'));
  };
  const stored = async () => {
    const rows = app.app.get(Database).repository(VerificationCodeEntity);
    return (await rows.find({ order: { id: 'DESC' } }))[0]!;
  };

  beforeAll(() => {
    app.freezeClock();
  });

  beforeEach(async () => {
    app.advanceClock(25 * HOUR);
    tests++;
    account = await createUser(app);
    client = stranger(250);
  });

  it('is sent again while it is valid, and never replaced', async () => {
    const codes = [await client.receive(account, 'login')];
    const { email } = account;
    for (let times = 0; times < 3; times++) {
      app.advanceClock(9 * MINUTE);
      // The owner's code stays valid whichever client requests another one.
      codes.push(await stranger(times).receive({ email }, 'login'));
    }
    expect(new Set(codes).size).toBe(1);
    expect((await verify(client, codes[0]!)).status).toBe(200);
  });

  it('is different for another purpose and another address', async () => {
    const other = newcomer();
    const codes = [
      await client.receive(account, 'login'),
      await client.receive(account, 'reset_password'),
      await client.receive(other, 'register'),
    ];
    expect(new Set(codes).size).toBeGreaterThan(1);
    expectFailure(await verify(client, wrongCode(codes[0]!)), 400, 'INVALID_CODE');
    const reset = await client.reset(account.email, codes[1]!, 'another long test password');
    expect(reset.status).toBe(200);
    expect((await client.post('/auth/register', { ...other, code: codes[2] })).status).toBe(200);
  });

  it('is valid ten minutes from its last mail, thirty minutes at most, and its mail states the duration', async () => {
    const person = newcomer();
    // A correct code without an account is 404, and stays usable.
    const tryCode = async (code: string) => (await client.verify(person.email, code)).status;
    const first = await client.receive(person, 'register');
    app.advanceClock(10 * MINUTE - 1);
    expect(await tryCode(first)).toBe(404);
    expect(await client.receive(person, 'register')).toBe(first);
    app.advanceClock(10 * MINUTE - 1);
    expect(await tryCode(first)).toBe(404);
    app.advanceClock(7 * MINUTE + 2);
    expect(await tryCode(first)).toBe(400);

    app.advanceClock(HOUR);
    const second = await client.receive(person, 'register');
    for (let times = 0; times < 3; times++) {
      app.advanceClock(9 * MINUTE);
      expect(await client.receive(person, 'register')).toBe(second);
    }
    expect(app.mails.mailsTo(person.email).at(-1)!.text).toContain('expires in 3 minutes');
    app.advanceClock(3 * MINUTE - 1);
    expect(await tryCode(second)).toBe(404);
    app.advanceClock(1);
    expect(await tryCode(second)).toBe(400);
    app.advanceClock(HOUR);
    expect(await tryCode(await client.receive(person, 'register'))).toBe(404);
  });

  it('is a new one after it was used, and then only the hash of the old one is kept', async () => {
    const used = await client.receive(account, 'login');
    expect((await stored()).sealedCode).not.toContain(used);
    expect((await verify(client, used)).status).toBe(200);
    expect(await stored()).toMatchObject({ sealedCode: null });
    app.advanceClock(MINUTE);
    const next = await client.receive(account, 'login');
    expectFailure(await verify(client, wrongCode(next)), 400, 'INVALID_CODE');
    expect((await verify(client, next)).status).toBe(200);
  });

  it('ends for a client after five wrong guesses, and for no other client', async () => {
    const code = await client.receive(account, 'login');
    await guess(stranger(1), code, 50);
    expectFailure(await verify(stranger(1), code), 400, 'INVALID_CODE');
    // The same client, whatever identity it claims.
    const pretending = stranger(1).takeDevice('B'.repeat(43));
    expectFailure(await verify(pretending, code), 400, 'INVALID_CODE');
    await guess(client, code, 4);
    expect((await verify(client, code)).status).toBe(200);
  });

  it('allows five more guesses for each mail that the client itself requests', async () => {
    const code = await client.receive(account, 'login');
    await guess(client, code, 5);
    expectFailure(await verify(client, code), 400, 'INVALID_CODE');
    app.advanceClock(MINUTE);
    await stranger(1).receive(account, 'login');
    expectFailure(await verify(client, code), 400, 'INVALID_CODE');
    app.advanceClock(MINUTE);
    expect(await client.receive(account, 'login')).toBe(code);
    await guess(client, code, 4, 6);
    expect((await verify(client, code)).status).toBe(200);
  });

  it('allows no guesses for a mail that was held back', async () => {
    const code = await client.receive(account, 'login');
    await guess(stranger(1), code, 5);
    expect((await stranger(1).send(account.email, 'login')).status).toBe(200);
    expectFailure(await verify(stranger(1), code), 400, 'INVALID_CODE');
  });

  it('ends for all after fifty wrong guesses, even concurrent ones, and the next mail has a new one', async () => {
    const code = await client.receive(account, 'login');
    const crowd = Array.from({ length: 20 }, (_element, host) => guess(stranger(host), code, 5, 1 + host * 5));
    await Promise.all(crowd);
    expect((await stored()).attempts).toBe(50);
    expectFailure(await verify(client, code), 400, 'INVALID_CODE');
    app.advanceClock(MINUTE);
    const next = await client.receive(account, 'login');
    await guess(client, next, 4);
    expect((await verify(client, next)).status).toBe(200);
  });

  it('is accepted while more guesses of an unknown client wait than are served', async () => {
    const code = await client.receive(account, 'login');
    const guesses = Array.from({ length: 150 }, (_element, index) => verify(stranger(1), wrongCode(code, index + 1)));
    expect((await verify(client, code)).status).toBe(200);
    expect((await Promise.all(guesses)).filter(({ status }) => status === 200)).toEqual([]);
  });

  it('is used once by fifty clients who send it concurrently', async () => {
    const code = await client.receive(account, 'login');
    const answers = await Promise.all(Array.from({ length: 50 }, (_element, host) => verify(stranger(host), code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(49);
  });

  it('does not count a correct guess', async () => {
    const registration = newcomer();
    const code = await client.receive(registration, 'register');
    for (let times = 0; times < 12; times++) {
      expectFailure(await client.verify(registration.email, code), 404, 'USER_NOT_FOUND');
    }
    expect((await client.post('/auth/register', { ...registration, code })).status).toBe(200);
  });

  it('is sealed with one secret: a row created with another one is replaced', async () => {
    const code = await client.receive(account, 'login');
    const row = await stored();
    await app.app
      .get(Database)
      .write((manager) =>
        manager.update(
          VerificationCodeEntity,
          { id: row.id },
          { sealedCode: 'v1.AAAA', tries: null, firstSentAt: null },
        ),
      );
    expect((await client.verify(account.email, wrongCode(code))).status).toBe(400);
    app.advanceClock(MINUTE);
    const next = await client.receive(account, 'login');
    expect((await verify(client, next)).status).toBe(200);
  });
});
