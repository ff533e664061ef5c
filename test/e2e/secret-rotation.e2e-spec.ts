import { Database } from '../../src/database/database';
import { findRows } from '../../src/database/statements/find';
import { ManagedProviderStore } from '../../src/integrations/llm/providers/managed-provider.store';
import { type TokenPairDto } from '../../src/modules/auth/tokens/token.dto';
import { McpRegistrationEntity } from '../../src/modules/mcp/connections/registration.entity';
import { McpServerCipher } from '../../src/modules/mcp/servers/mcp-server.store';
import { WebhookEndpointEntity } from '../../src/modules/webhook/endpoint/webhook-endpoint.entity';
import { createAdmin, createUser, newcomer, receiveCode, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { call, expectFailure } from '../support/http';
import { callTool, ConnectingBrowser, newBrowser } from '../support/mcp/connecting';
import { mcpServersOf } from '../support/mcp/mcp-servers';
import { ScriptedAuthority } from '../support/mcp/scripted-authority';
import { startScriptedMcpServer } from '../support/mcp/scripted-mcp-server';
import { createMigratedDatabase } from '../support/servers/migrated-database';
import { SignInClient } from '../support/sign-in-client';
import { startTestApp, type TestApp } from '../support/test-app';
import { WebhookClient } from '../support/webhook-client';
import { verify, WebhookReceiver } from '../support/webhook-receiver';

const FIRST = 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6';
const SECOND = 'Wq7nB2vKs9dLx4TzPf6HcRm1YjGu8EaZo3XiNt5C';
const UNRELATED = 'Zt4mC8xRb2vQn6LsYd9KfHw3PjUe7GaAo1XiTr5E';

/** The successive settings of the service. */
const STAGES: Record<string, string>[] = [
  { JWT_SECRET: FIRST },
  { JWT_SECRET: SECOND, JWT_SECRET_PREVIOUS: UNRELATED },
  { JWT_SECRET: SECOND, JWT_SECRET_PREVIOUS: FIRST },
  { JWT_SECRET: SECOND },
];

describe('a change of JWT_SECRET', () => {
  let app: TestApp;
  let receiver: WebhookReceiver;

  const refresh = (token: string) =>
    call<TokenPairDto>(`${app.url}/auth/refresh_token`, { body: { refresh_token: token } });
  const me = (token: string) => call(`${app.url}/auth/me`, { token });
  /** Sends a test event, and verifies its signature as the owner does. */
  const deliver = async (owner: TestAccount, id: number, secret: string): Promise<void> => {
    const before = receiver.deliveries.length;
    await new WebhookClient(app, owner).request('POST', `/${id}/test`);
    const deliveries = await receiver.waitFor(before + 1);
    expect(() => verify(deliveries[before]!, secret)).not.toThrow();
  };

  const stories: (() => AsyncGenerator<void, void>)[] = [];
  const faults = new Map<number, unknown>();

  /** A test that yields before the next stage. All have the same stages, each run in sequence. */
  function lives(title: string, story: (typeof stories)[number]): void {
    const index = stories.push(story) - 1;
    it(title, () => {
      if (faults.has(index)) throw faults.get(index);
    });
  }

  beforeAll(async () => {
    const database = await createMigratedDatabase();
    receiver = await WebhookReceiver.start();
    const told = stories.map((story) => story());
    for (const secrets of STAGES) {
      // Long enough for two starts on a busy machine, and twice that is shorter than the validity of a code.
      const limits = { CODE_RESEND_SECONDS: '240', CODE_PER_ADDRESS_HOURLY: '2' };
      app = await startTestApp({ DATABASE_URL: database.url, ...limits, ...secrets });
      for (const [index, story] of told.entries()) {
        await story.next().catch((error: unknown) => faults.set(index, error));
        app.resetClock();
      }
      await app.close();
    }
    // No event is undelivered.
    await Promise.all(told.map(async (story) => expect(await story.next()).toEqual({ done: true, value: undefined })));
    await receiver.stop();
    await database.drop();
  });

  lives(
    'ends no session, loses no code and no webhook, and signs nothing with the previous secret',
    async function* () {
      const person = await createUser(app);
      const registration = newcomer();
      const code = await receiveCode(app, registration.email, 'register');
      const webhook = await new WebhookClient(app, person).create(receiver.url());
      const replaced = await new WebhookClient(app, person).request<{ secret: string }>(
        'POST',
        `/${webhook.id}/rotate_secret`,
      );
      yield;

      yield;
      expect((await me(person.token)).status).toBe(200);
      const pair = await refresh(person.refreshToken);
      expect(pair.status).toBe(200);
      const registered = await call<TokenPairDto>(`${app.url}/auth/register`, { body: { ...registration, code } });
      expect(registered.status).toBe(200);
      await deliver(person, webhook.id, webhook.secret);
      await deliver(person, webhook.id, replaced.secret);
      yield;

      expectFailure(await me(person.token), 401, 'TOKEN_INVALID');
      expectFailure(await refresh(person.refreshToken), 401, 'REFRESH_TOKEN_INVALID');
      for (const { access_token, refresh_token } of [pair.body, registered.body]) {
        expect((await me(access_token)).status).toBe(200);
        expect((await refresh(refresh_token)).status).toBe(200);
      }
      await deliver({ ...person, token: pair.body.access_token }, webhook.id, webhook.secret);
      await deliver({ ...person, token: pair.body.access_token }, webhook.id, replaced.secret);
    },
  );

  lives('keeps the keys of model providers', async function* () {
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
    yield;

    yield;
    expect(await keyInUse()).toBe(body.api_key);
    yield;

    expect(await keyInUse()).toBe(body.api_key);
  });

  lives('keeps the counters of attempts, and sends a code from the previous secret again', async function* () {
    const { email } = newcomer();
    const send = () => call(`${app.url}/auth/send_code`, { body: { email, purpose: 'register' } });
    const former = await receiveCode(app, email, 'register');
    yield;

    yield;
    expectFailure(await send(), 429, 'CODE_SEND_TOO_FREQUENT');
    app.advanceClock(241_000);
    expect(await receiveCode(app, email, 'register')).toBe(former);
    app.advanceClock(241_000);
    expectFailure(await send(), 429, 'CODE_SEND_TOO_FREQUENT');
    const answer = await call(`${app.url}/auth/register`, { body: { ...newcomer(), email, code: former } });
    expect(answer.status).toBe(200);
  });

  lives('keeps the devices that an account knows', async function* () {
    const { email, password } = await createUser(app);
    let device = '';
    const signIn = async () => {
      const client = new SignInClient(app, '192.0.2.1').takeDevice(device);
      const { status } = await client.logIn(email, password);
      ({ device } = client);
      return status;
    };
    const lockStrangersOut = async () => {
      const stranger = new SignInClient(app, '192.0.2.1').takeDevice('A'.repeat(43));
      for (let times = 0; times < 10; times++) {
        await stranger.logIn(email, 'a wrong password');
      }
      expectFailure(await stranger.logIn(email, password), 429, 'ACCOUNT_LOCKED');
    };
    expect(await signIn()).toBe(200);
    yield;

    yield;
    await lockStrangersOut();
    expect(await signIn()).toBe(200);
    yield;

    await lockStrangersOut();
    expect(await signIn()).toBe(200);
  });

  lives('keeps connections to MCP servers, their clients and their secrets', async function* () {
    const scripted = await startScriptedMcpServer();
    scripted.tools = [{ name: 'look', annotations: { readOnlyHint: true } }];
    const authority = await ScriptedAuthority.start(scripted);
    const oauth = { scopes: ['read'], trust_annotations: true };
    const admin = await AdminClient.of(app);
    const servers = mcpServersOf(admin);
    const users = await servers.add(scripted.url, { ...oauth, auth: 'oauth_user' });
    const person = await newBrowser(app);
    for (const browser of [new ConnectingBrowser(app, admin.account.token), person]) {
      await browser.connect(users.label, authority);
    }
    for (const tool of await servers.refresh(users.id)) await servers.decide(users.id, tool);
    const own = await servers.approved(scripted.url, {
      ...oauth,
      auth: 'oauth_service',
      client_id: 'chat',
      client_secret: 'a-secret-to-be-kept',
      headers: { 'X-Kept': 'kept' },
    });
    const use = async () => {
      authority.endAccess();
      for (const { label } of [users, own]) {
        expect(await callTool(app, `${label}__look`, person.userId)).toBe('Called look with {}.');
      }
      expect(scripted.requests.at(-1)?.headers['x-kept']).toBe('kept');
    };
    const registered = async () => {
      const [row] = await findRows(app.app.get(Database).manager, McpRegistrationEntity, { serverId: users.id });
      return app.app.get(McpServerCipher).decryptOrNull(row?.sealed ?? '');
    };
    await use();
    yield;

    yield;
    await use();
    expect(await registered()).toContain('client-1');
    yield;

    await use();
    expect(await registered()).toContain('client-1');
    const exchanged = authority.tokenRequests.filter((asked) => asked.get('grant_type') === 'authorization_code');
    expect(exchanged).toHaveLength(2);
    await authority.close();
    await scripted.close();
  });

  lives('does not change data that belongs to neither secret', async function* () {
    const person = await createUser(app);
    const { id, secret } = await new WebhookClient(app, person).create(receiver.url());
    const stored = () => app.app.get(Database).repository(WebhookEndpointEntity).findOneByOrFail({ id });
    const before = (await stored()).secret;
    yield;

    expect((await stored()).secret).toBe(before);
    yield;

    await deliver(person, id, secret);
  });
});
