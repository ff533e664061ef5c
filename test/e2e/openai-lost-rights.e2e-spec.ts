// @databases mariadb: two instances share one database
import { createUser } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { readEvents, type ResponseEvent } from '../support/open-responses/check';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { databaseEngine } from '../support/servers/test-database';
import { suspend } from '../support/suspensions';
import { startInstance } from '../support/test-app';
import { useOwnChatApp } from '../support/use-app';

const app = useOwnChatApp({ CONCURRENT_NORMAL: '50', RATE_LIMIT_NORMAL: '10000' });

interface KeyOwner {
  token: string;
  userId: number;
  keyId: number;
  /** Sends requests with the key, which the tests take away. */
  client: ResponsesClient;
}

async function newOwner(origin = app.origin): Promise<KeyOwner> {
  const account = await createUser(app);
  const { key, id } = await makeKey(app, account.token, { scopes: ['openai'] });
  return {
    token: account.token,
    userId: account.user.id,
    keyId: id,
    client: new ResponsesClient(origin, key, 'General assistant'),
  };
}

/** A request whose model says something, and then nothing more. */
async function hanging(): Promise<string> {
  const input = uniqueContent('lost');
  await app.model.script({ key: input, steps: [{ text: 'Begun.' }, { stall: true }] });
  return input;
}

const changeKey = ({ token, keyId }: KeyOwner, method: string, body?: object): Promise<unknown> =>
  call(`${app.url}/user/api-keys/${keyId}`, { method, token, body });

function idOf(event: ResponseEvent | undefined): string {
  return (event?.response as { id: string } | undefined)?.id ?? '';
}

/** Fails unless the provider's request is aborted within five seconds. */
async function endsInTime(input: string, from: number): Promise<void> {
  await app.model.waitFor('aborted', { key: input });
  expect(performance.now() - from).toBeLessThan(5_000);
}

describe('a response ends within five seconds', () => {
  it('with an error in its stream when the key is deleted, and stays stored as cancelled', async () => {
    const owner = await newOwner();
    const input = await hanging();
    const streamed = owner.client.stream({ input });
    await app.model.waitFor('received', { key: input });
    await changeKey(owner, 'DELETE');
    const from = performance.now();
    const last = (await streamed).at(-1);
    expect(last).toMatchObject({ type: 'response.failed', response: { error: { code: 'invalid_api_key' } } });
    await endsInTime(input, from);
    const stored = await new ResponsesClient(app.origin, owner.token, '').get(idOf(last));
    expect(stored).toMatchObject({ status: 'cancelled', output: [{ status: 'incomplete' }] });
  });

  it('with 401 when the session logs out, if it is not streamed', async () => {
    const { token } = await newOwner();
    const input = await hanging();
    const asked = new ResponsesClient(app.origin, token, 'General assistant').post({ input });
    await app.model.waitFor('received', { key: input });
    await call(`${app.url}/auth/logout`, { method: 'POST', token });
    expect((await asked).status).toBe(401);
  });

  it('in the background too, when the key loses the scope', async () => {
    const owner = await newOwner();
    const input = await hanging();
    const { id } = await owner.client.create({ input, background: true });
    await app.model.waitFor('received', { key: input });
    await changeKey(owner, 'PUT', { scopes: ['chat:read'] });
    const from = performance.now();
    await endsInTime(input, from);
    const reader = new ResponsesClient(app.origin, owner.token, '');
    await eventually(async () => (await reader.get(id)).status === 'cancelled');
  });

  it('for a reader that joined it, while the response continues', async () => {
    const owner = await newOwner();
    const input = await hanging();
    const creator = new ResponsesClient(app.origin, owner.token, 'General assistant');
    const { id } = await creator.create({ input, background: true });
    await app.model.waitFor('received', { key: input });
    const path = `${app.origin}/openai/v1/responses/${id}?stream=true`;
    const joined = await fetch(path, { headers: { authorization: `Bearer ${owner.client.token}` } });
    await changeKey(owner, 'DELETE');
    const text = await joined.text();
    const last = readEvents(text).at(-1);
    expect(last).toMatchObject({ type: 'response.failed', response: { error: { code: 'invalid_api_key' } } });
    expect((await creator.get(id)).status).toBe('in_progress');
    await creator.request(`/responses/${id}/cancel`, { method: 'POST' });
  });
});

if (databaseEngine() !== 'sqlite') {
  describe('on another instance', () => {
    let second: Awaited<ReturnType<typeof startInstance>>;
    beforeAll(async () => (second = await startInstance(app.environment)));
    afterAll(() => second.app.close());

    const ways: [string, (owner: KeyOwner) => Promise<unknown>][] = [
      ['the key is deleted', (owner) => changeKey(owner, 'DELETE')],
      ['the account is suspended', ({ userId }) => suspend(app, userId)],
    ];

    it.each(ways)('a background response ends within five seconds when %s', async (_what, end) => {
      const owner = await newOwner(new URL(second.url).origin);
      const input = await hanging();
      await owner.client.create({ input, background: true });
      await app.model.waitFor('received', { key: input });
      await end(owner);
      const from = performance.now();
      await endsInTime(input, from);
    });
  });
}
