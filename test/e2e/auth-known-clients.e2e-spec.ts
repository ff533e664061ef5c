// @databases mariadb: requests at the same time
import { Database } from '../../src/database/database';
import { AuthRetention } from '../../src/modules/auth/auth.retention';
import { KnownClientEntity } from '../../src/modules/auth/clients/known-client.entity';
import { PersonalDataRegistry } from '../../src/modules/user/personal-data/personal-data-registry';
import { createUser, newcomer, PASSWORD, type TestAccount } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { SignInClient, wrongCode } from '../support/sign-in-client';
import { useTestApp } from '../support/use-app';

const MINUTE = 60_000;
const DAY = 86_400_000;
const WRONG = 'a wrong password';

describe('an account under attack by an unknown client', () => {
  const app = useTestApp({ TRUST_PROXY: '1', CODE_RESEND_SECONDS: '60', CODE_PER_CLIENT_HOURLY: '100' });
  let account: TestAccount;
  let owner: SignInClient;
  let tests = 0;

  /** A new client, at an address of this test. */
  const stranger = (host: number) => new SignInClient(app, `203.0.${tests}.${host}`);
  const times = <Result>(count: number, act: (index: number) => Promise<Result>): Promise<Result[]> =>
    Promise.all(Array.from({ length: count }, (_element, index) => act(index)));
  const withStatus = (answers: { status: number }[], wanted: number) =>
    answers.filter(({ status }) => status === wanted).length;

  /** Guesses from many addresses until no guess is checked any more. */
  async function hammer({ email }: TestAccount): Promise<void> {
    expect(withStatus(await times(15, (host) => stranger(host).logIn(email, WRONG)), 429)).toBe(5);
    let guesses = 0;
    for (const purpose of ['login', 'reset_password'] as const) {
      const code = await stranger(1).receive({ email }, purpose);
      for (let host = 1; host <= 12; host++) {
        guesses += 5;
        const answers = await times(5, (step) =>
          purpose === 'login'
            ? stranger(host).verify(email, wrongCode(code, step + 1))
            : stranger(host).reset(email, wrongCode(code, step + 1), 'the password of a thief'),
        );
        expect(withStatus(answers, 400)).toBe(5);
      }
    }
    expect(guesses).toBeGreaterThan(100);
    // No unknown client gets in now, not even with the correct code; the answer does not reveal this.
    await times(20, (host) => stranger(host).send(email, 'login'));
    expectFailure(await stranger(99).logIn(email, PASSWORD), 429, 'ACCOUNT_LOCKED');
    expect((await stranger(99).send(email, 'login')).status).toBe(200);
  }

  beforeAll(() => {
    app.freezeClock();
  });

  beforeEach(async () => {
    app.advanceClock(31 * DAY);
    tests++;
    account = await createUser(app);
    owner = new SignInClient(app, `198.51.100.${tests}`);
  });

  it('lets in its owner by password, by code and by reset, in a browser that signed in before', async () => {
    expect((await owner.logIn(account.email, PASSWORD)).status).toBe(200);
    await hammer(account);
    const travelling = owner.at('192.0.2.77');
    expect((await travelling.logIn(account.email, PASSWORD)).status).toBe(200);
    const code = await travelling.receive(account, 'login');
    expect((await travelling.verify(account.email, code)).status).toBe(200);
    const reset = await travelling.receive(account, 'reset_password');
    const password = 'another long test password';
    expect((await travelling.reset(account.email, reset, password)).status).toBe(200);
    expect((await travelling.logIn(account.email, password)).status).toBe(200);
  });

  it('lets in its owner by all three without cookies, at the address of the last sign-in', async () => {
    owner = new SignInClient(app, owner.address, false);
    expect((await owner.logIn(account.email, PASSWORD)).status).toBe(200);
    await hammer(account);
    expect((await owner.logIn(account.email, PASSWORD)).status).toBe(200);
    expect((await owner.verify(account.email, await owner.receive(account, 'login'))).status).toBe(200);
    const reset = await owner.receive(account, 'reset_password');
    expect((await owner.reset(account.email, reset, 'another long test password')).status).toBe(200);
  });

  it('lets in its owner on a new device by a code, whatever one unknown client guesses', async () => {
    const [attacker, newDevice] = [stranger(1), stranger(2)];
    const code = await newDevice.receive(account, 'login');
    const guesses = await times(60, (step) => attacker.verify(account.email, wrongCode(code, step + 1)));
    expect(withStatus(guesses, 400)).toBe(60);
    expectFailure(await attacker.verify(account.email, code), 400, 'INVALID_CODE');
    expectFailure(await newDevice.verify(account.email, wrongCode(code)), 400, 'INVALID_CODE');
    await times(15, () => attacker.logIn(account.email, WRONG));
    expectFailure(await newDevice.logIn(account.email, PASSWORD), 429, 'ACCOUNT_LOCKED');
    expect((await newDevice.verify(account.email, code)).status).toBe(200);
    // The account knows it now.
    expect((await newDevice.at('192.0.2.88').logIn(account.email, PASSWORD)).status).toBe(200);
  });

  it('resets the count with a new password, and does not treat a reset as a sign-in', async () => {
    const { email } = account;
    const reset = async (client: SignInClient, password: string) => {
      const code = await client.receive(account, 'reset_password');
      expect((await client.reset(email, code, password)).status).toBe(200);
    };
    await owner.logIn(email, PASSWORD);
    await times(12, (host) => stranger(host).logIn(email, WRONG));
    await reset(owner, 'another long test password');
    expect((await stranger(77).logIn(email, 'another long test password')).status).toBe(200);

    const newDevice = stranger(88);
    app.advanceClock(MINUTE);
    await reset(newDevice, 'a third long test password');
    expect(newDevice.device).toBe('');
    await times(12, (host) => stranger(host).logIn(email, WRONG));
    expectFailure(await newDevice.logIn(email, 'a third long test password'), 429, 'ACCOUNT_LOCKED');
    expect((await newDevice.verify(email, await newDevice.receive(account, 'login'))).status).toBe(200);
  });

  it('knows a client after each type of sign-in', async () => {
    const ways: Record<string, (client: SignInClient) => Promise<string>> = {
      password: async (client) => {
        await client.logIn(account.email, PASSWORD);
        return account.email;
      },
      'the password grant': async (client) => {
        await client.post('/auth/token', { grant_type: 'password', username: account.email, password: PASSWORD });
        return account.email;
      },
      code: async (client) => {
        await client.verify(account.email, await client.receive(account, 'login'));
        return account.email;
      },
      registration: async (client) => {
        const registration = newcomer();
        await client.post('/auth/register', { ...registration, code: await client.receive(registration, 'register') });
        return registration.email;
      },
    };
    for (const [index, [, enter]] of Object.entries(ways).entries()) {
      const client = new SignInClient(app, `192.0.2.${index}`);
      const email = await enter(client);
      expect(client.device).toMatch(/^[\w-]{43}$/);
      await times(12, (host) => stranger(100 + host).logIn(email, WRONG));
      expect((await client.at('192.0.2.200').logIn(email, PASSWORD)).status).toBe(200);
      app.advanceClock(16 * MINUTE);
    }
  });

  it("gives no advantage to another user behind the owner's address, and does not affect the owner", async () => {
    await owner.logIn(account.email, PASSWORD);
    const neighbour = new SignInClient(app, owner.address);
    expect(withStatus(await times(12, () => neighbour.logIn(account.email, WRONG)), 429)).toBe(2);
    expectFailure(await neighbour.logIn(account.email, PASSWORD), 429, 'ACCOUNT_LOCKED');
    expect((await owner.logIn(account.email, PASSWORD)).status).toBe(200);
    // A client with another account's cookie is unknown, even at the address of the owner.
    const other = await createUser(app);
    app.advanceClock(16 * MINUTE);
    expect((await neighbour.logIn(other.email, PASSWORD)).status).toBe(200);
    await times(12, (host) => stranger(host).logIn(account.email, WRONG));
    expectFailure(await neighbour.logIn(account.email, PASSWORD), 429, 'ACCOUNT_LOCKED');
    expect((await owner.logIn(account.email, PASSWORD)).status).toBe(200);
  });

  it.each(['made up', 'of an account of one’s own'])('does not trust a cookie that is %s', async (kind) => {
    const thief = stranger(1);
    const other = await createUser(app);
    await (kind === 'made up' ? Promise.resolve(thief.takeDevice('A'.repeat(43))) : thief.logIn(other.email, PASSWORD));
    await times(12, (host) => stranger(50 + host).logIn(account.email, WRONG));
    expectFailure(await thief.logIn(account.email, PASSWORD), 429, 'ACCOUNT_LOCKED');
  });

  it('allows the thief of a cookie ten guesses, and does not affect the owner’s other devices', async () => {
    const [phone, laptop] = [owner, new SignInClient(app, '192.0.2.10')];
    await phone.logIn(account.email, PASSWORD);
    await laptop.logIn(account.email, PASSWORD);
    const thief = stranger(1).takeDevice(phone.device);
    expect(withStatus(await times(40, () => thief.logIn(account.email, WRONG)), 401)).toBe(10);
    expectFailure(await phone.logIn(account.email, PASSWORD), 429, 'ACCOUNT_LOCKED');
    expect((await laptop.logIn(account.email, PASSWORD)).status).toBe(200);
  });

  it('allows exactly ten of fifty concurrent guesses, from fifty addresses or from a known one', async () => {
    await owner.logIn(account.email, PASSWORD);
    expect(withStatus(await times(50, (host) => stranger(host).logIn(account.email, WRONG)), 401)).toBe(10);
    expect(withStatus(await times(50, () => owner.logIn(account.email, WRONG)), 401)).toBe(10);
  });

  it('serves its owner while more guesses wait than are served', async () => {
    await owner.logIn(account.email, PASSWORD);
    const guesses = times(300, (index) => stranger(index % 5).logIn(account.email, WRONG));
    const answers = await times(5, () => owner.logIn(account.email, PASSWORD));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(withStatus(await guesses, 401)).toBe(10);
  });

  it('serves a signed-in user whose device it has forgotten', async () => {
    const { token } = account;
    await times(12, (host) => stranger(host).logIn(account.email, WRONG));
    const change = { current_password: PASSWORD, new_password: 'another long test password' };
    const headers = { authorization: `Bearer ${token}` };
    const elsewhere = stranger(77);
    const wrong = await times(12, () =>
      elsewhere.post('/user/change_password', { ...change, current_password: WRONG }, headers),
    );
    expect([withStatus(wrong, 401), withStatus(wrong, 429)]).toEqual([10, 2]);
    app.advanceClock(16 * MINUTE);
    await times(12, (host) => stranger(host).logIn(account.email, WRONG));
    expect((await elsewhere.post('/user/change_password', change, headers)).status).toBe(200);
    // A session of another account does not count.
    const others = { authorization: `Bearer ${(await createUser(app)).token}` };
    const attempt = { email: account.email, password: change.new_password };
    app.advanceClock(16 * MINUTE);
    await times(12, (host) => stranger(host).logIn(account.email, WRONG));
    expectFailure(await elsewhere.post('/auth/login', attempt, others), 429, 'ACCOUNT_LOCKED');
  });

  it('forgets a client thirty days after its last sign-in, with its stored data', async () => {
    await owner.logIn(account.email, PASSWORD);
    const { device } = owner;
    const moved = owner.at('192.0.2.99');
    app.advanceClock(29 * DAY);
    expect((await owner.logIn(account.email, PASSWORD)).status).toBe(200);
    expect(owner.device).toBe(device);
    app.advanceClock(29 * DAY);
    await times(12, (host) => stranger(host).logIn(account.email, WRONG));
    expectFailure(await stranger(99).logIn(account.email, PASSWORD), 429, 'ACCOUNT_LOCKED');
    expect((await moved.logIn(account.email, WRONG)).status).toBe(401);
    app.advanceClock(DAY);
    await times(12, (host) => stranger(host).logIn(account.email, WRONG));
    expectFailure(await moved.logIn(account.email, PASSWORD), 429, 'ACCOUNT_LOCKED');
    const rows = app.app.get(Database).repository(KnownClientEntity);
    while ((await app.app.get(AuthRetention).clean()) !== null);
    expect(await rows.countBy({ userId: account.user.id })).toBe(0);
  });

  it('shows its owner the known clients, without their identifiers, and erases them', async () => {
    await owner.logIn(account.email, PASSWORD);
    const { body, text } = await call<{ known_clients: object[] }>(`${app.url}/user/export`, { token: account.token });
    const kinds = body.known_clients.map((row) => (row as { kind: string }).kind);
    expect(kinds).toEqual(['address', 'device', 'address']);
    expect(Object.keys(body.known_clients[1]!)).toEqual(['id', 'kind', 'signed_in_at']);
    expect(text).not.toContain(owner.device);
    const stored = app.app.get(Database).repository(KnownClientEntity);
    expect(JSON.stringify(await stored.find())).not.toContain(owner.device);
    const source = app.app.get(PersonalDataRegistry).sources.find(({ name }) => name === 'known_clients');
    await source?.erase(account.user.id);
    expect(await stored.countBy({ userId: account.user.id })).toBe(0);
  });
});
