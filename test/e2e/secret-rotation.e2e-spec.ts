import { Database } from '../../src/database/database';
import { ManagedProviderStore } from '../../src/integrations/llm/managed-provider.store';
import { type TokenPairDto } from '../../src/modules/auth/tokens/token.dto';
import { WebhookEndpointEntity } from '../../src/modules/webhook/endpoint/webhook-endpoint.entity';
import { createAdmin, createUser, newcomer, receiveCode, type TestAccount } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { createMigratedDatabase } from '../support/servers/migrated-database';
import { startTestApp, type TestApp } from '../support/test-app';
import { WebhookClient } from '../support/webhook-client';
import { verify, WebhookReceiver } from '../support/webhook-receiver';

const FIRST = 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6';
const SECOND = 'Wq7nB2vKs9dLx4TzPf6HcRm1YjGu8EaZo3XiNt5C';

describe('a change of JWT_SECRET', () => {
  let app: TestApp;
  let database: Awaited<ReturnType<typeof createMigratedDatabase>>;
  let receiver: WebhookReceiver;

  const start = (secrets: Record<string, string>): Promise<TestApp> =>
    startTestApp({ DATABASE_URL: database.url, CODE_RESEND_SECONDS: '60', ...secrets });
  const restart = async (secrets: Record<string, string>): Promise<void> => {
    await app.close();
    app = await start(secrets);
  };
  const refresh = (token: string) =>
    call<TokenPairDto>(`${app.url}/auth/refresh_token`, { body: { refresh_token: token } });
  const me = (token: string) => call(`${app.url}/auth/me`, { token });
  /** Has a test event sent, and checks its signature as the owner does. */
  const deliver = async (owner: TestAccount, id: number, secret: string): Promise<void> => {
    const before = receiver.deliveries.length;
    await new WebhookClient(app, owner).request('POST', `/${id}/test`);
    const deliveries = await receiver.waitFor(before + 1);
    expect(() => verify(deliveries[before]!, secret)).not.toThrow();
  };

  beforeAll(async () => {
    database = await createMigratedDatabase();
    receiver = await WebhookReceiver.start();
    app = await start({ JWT_SECRET: FIRST });
  });

  afterAll(async () => {
    await app.close();
    await receiver.stop();
    await database.drop();
  });

  it('logs nobody out, loses no code and no webhook, and signs nothing with the previous secret', async () => {
    const person = await createUser(app);
    const registration = newcomer();
    const code = await receiveCode(app, registration.email, 'register');
    const webhook = await new WebhookClient(app, person).create(receiver.url());
    const replaced = await new WebhookClient(app, person).request<{ secret: string }>(
      'POST',
      `/${webhook.id}/rotate_secret`,
    );

    await restart({ JWT_SECRET: SECOND, JWT_SECRET_PREVIOUS: FIRST });
    expect((await me(person.token)).status).toBe(200);
    const pair = await refresh(person.refreshToken);
    expect(pair.status).toBe(200);
    const registered = await call<TokenPairDto>(`${app.url}/auth/register`, { body: { ...registration, code } });
    expect(registered.status).toBe(200);
    await deliver(person, webhook.id, webhook.secret);
    await deliver(person, webhook.id, replaced.secret);

    await restart({ JWT_SECRET: SECOND });
    expectFailure(await me(person.token), 401, 'TOKEN_INVALID');
    expectFailure(await refresh(person.refreshToken), 401, 'REFRESH_TOKEN_INVALID');
    for (const { access_token, refresh_token } of [pair.body, registered.body]) {
      expect((await me(access_token)).status).toBe(200);
      expect((await refresh(refresh_token)).status).toBe(200);
    }
    await deliver({ ...person, token: pair.body.access_token }, webhook.id, webhook.secret);
    await deliver({ ...person, token: pair.body.access_token }, webhook.id, replaced.secret);
    await restart({ JWT_SECRET: FIRST });
  });

  it('keeps the keys of model providers', async () => {
    const { token } = await createAdmin(app);
    const body = {
      name: 'kept',
      kind: 'openai-compatible',
      base_url: 'http://127.0.0.1:9/v1',
      api_key: 'a-key-to-be-kept',
    };
    const created = await call<{ data: { id: number } }>(`${app.url}/admin/providers`, { token, body });
    const keyInUse = async () => {
      const store = app.app.get(ManagedProviderStore);
      return store.toDefinition(await store.get(created.body.data.id)).apiKey;
    };
    await restart({ JWT_SECRET: SECOND, JWT_SECRET_PREVIOUS: FIRST });
    expect(await keyInUse()).toBe(body.api_key);
    await restart({ JWT_SECRET: SECOND });
    expect(await keyInUse()).toBe(body.api_key);
    await restart({ JWT_SECRET: FIRST });
  });

  it('keeps what counts attempts, and lets a newer code replace one of the previous secret', async () => {
    const { email } = newcomer();
    app.freezeClock();
    const former = await receiveCode(app, email, 'register');
    await restart({ JWT_SECRET: SECOND, JWT_SECRET_PREVIOUS: FIRST, CODE_PER_ADDRESS_HOURLY: '2' });
    expectFailure(
      await call(`${app.url}/auth/send_code`, { body: { email, purpose: 'register' } }),
      429,
      'CODE_SEND_TOO_FREQUENT',
    );
    app.advanceClock(61_000);
    expect((await call(`${app.url}/auth/send_code`, { body: { email, purpose: 'register' } })).status).toBe(200);
    app.advanceClock(61_000);
    expectFailure(
      await call(`${app.url}/auth/send_code`, { body: { email, purpose: 'register' } }),
      429,
      'CODE_SEND_TOO_FREQUENT',
    );
    const answer = await call(`${app.url}/auth/register`, { body: { ...newcomer(), email, code: former } });
    expectFailure(answer, 400, 'INVALID_CODE');
    await restart({ JWT_SECRET: FIRST });
  });

  it('leaves what belongs to neither secret as it is', async () => {
    const person = await createUser(app);
    const { id, secret } = await new WebhookClient(app, person).create(receiver.url());
    const stored = () => app.app.get(Database).repository(WebhookEndpointEntity).findOneByOrFail({ id });
    const before = (await stored()).secret;
    await restart({ JWT_SECRET: SECOND, JWT_SECRET_PREVIOUS: 'Zt4mC8xRb2vQn6LsYd9KfHw3PjUe7GaAo1XiTr5E' });
    expect((await stored()).secret).toBe(before);
    await restart({ JWT_SECRET: FIRST });
    await deliver(person, id, secret);
  });
});
