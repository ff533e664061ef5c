// @databases mariadb: two instances share one database
import { AnthropicCaller, type AnthropicError, ask, textOf, useAnthropicApi } from '../support/anthropic-api';
import { head, messageEvents } from '../support/anthropic-upstream';
import { makeKey } from '../support/api-keys';
import { uniqueContent } from '../support/chat-client';
import { call } from '../support/http';
import { databaseEngine } from '../support/servers/test-database';
import { suspend } from '../support/suspensions';
import { startInstance } from '../support/test-app';
import { useOwnChatApp } from '../support/use-app';

const app = useOwnChatApp({ CONCURRENT_NORMAL: '50', RATE_LIMIT_NORMAL: '10000' });
const api = useAnthropicApi(app);

const FIRST = messageEvents({}).split(/(?<=\n\n)/)[0] ?? '';

/** A stream whose provider sends one event and then nothing. */
function hang(): Promise<void> {
  return new Promise((resolve) => {
    api.upstream.acts.push((response) => {
      head(response);
      response.write(FIRST);
      response.once('close', () => resolve());
    });
  });
}

/** The error event of a stream, and the milliseconds until it came. */
async function endOf(parts: AsyncGenerator<string>): Promise<{ error: AnthropicError; took: number }> {
  const from = performance.now();
  let text = '';
  for await (const part of parts) {
    text += part;
  }
  const [, data = '{}'] = /^event: error\ndata: (.*)\n\n$/.exec(text) ?? [];
  return { error: JSON.parse(data) as AnthropicError, took: performance.now() - from };
}

const ways: [string, (caller: AnthropicCaller) => Promise<unknown>, string, string][] = [
  [
    'the account is suspended',
    ({ account }) => suspend(app, account.user.id),
    'permission_error',
    'identity_suspended',
  ],
  [
    'the account is banned',
    ({ account }) => api.admin.post(`/admin/users/${account.user.id}/ban`, { reason: 'Test.' }),
    'permission_error',
    'account_banned',
  ],
  ['the key is deleted', (caller) => changeKey(caller, 'DELETE'), 'authentication_error', 'api_key_invalid'],
  [
    'the key loses the scope',
    (caller) => changeKey(caller, 'PUT', { scopes: ['openai'] }),
    'permission_error',
    'scope_required',
  ],
];

function changeKey({ account, keyId }: AnthropicCaller, method: string, body?: object): Promise<{ status: number }> {
  return call(`${app.url}/user/api-keys/${keyId}`, { method, token: account.token, body });
}

describe('a running request ends within five seconds', () => {
  it.each(ways)('when %s', async (_what, end, type, code) => {
    const caller = await api.newCaller();
    const closed = hang();
    const parts = textOf(await caller.stream(ask()));
    await parts.next();
    await end(caller);
    const { error, took } = await endOf(parts);
    expect([error.error.type, error.error.details.error_code]).toEqual([type, code]);
    expect(took).toBeLessThan(5_000);
    await closed;
  });

  it('when the session logs out, with 401 if it is not streamed', async () => {
    const { account, base } = await api.newCaller();
    api.upstream.acts.push(() => undefined);
    const arrived = api.upstream.nextRequest();
    const asked = new AnthropicCaller(base, account, account.token).message<AnthropicError>(ask());
    const { closed } = await arrived;
    await call(`${app.url}/auth/logout`, { method: 'POST', token: account.token });
    const answer = await asked;
    expect([answer.status, answer.body.error.type]).toEqual([401, 'authentication_error']);
    await closed;
  });

  it('in the OpenAI-compatible API too, with its error frame', async () => {
    const client = await app.newClient();
    const { key, id } = await makeKey(app, client.token, { scopes: ['openai'] });
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Begun.' }, { stall: true }] });
    const origin = new URL(app.url).origin;
    const models = await call<{ data: { id: string }[] }>(`${origin}/openai/v1/models`, { token: key });
    const response = await fetch(`${origin}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: models.body.data[0]?.id, stream: true, messages: [{ role: 'user', content }] }),
    });
    const parts = textOf(response);
    await parts.next();
    await call(`${app.url}/user/api-keys/${id}`, { method: 'DELETE', token: client.token });
    let text = '';
    for await (const part of parts) {
      text += part;
    }
    expect(text).toContain('"code":"invalid_api_key"');
    expect(text).toMatch(/\[DONE\]\n\n$/);
  });
});

if (databaseEngine() !== 'sqlite') {
  describe('on another instance', () => {
    let second: Awaited<ReturnType<typeof startInstance>>;
    beforeAll(async () => (second = await startInstance(app.environment)));
    afterAll(() => second.app.close());

    it('a running request ends within five seconds of a suspension', async () => {
      const caller = await api.newCaller();
      const closed = hang();
      const other = new AnthropicCaller(`${new URL(second.url).origin}/anthropic`, caller.account, caller.key);
      const parts = textOf(await other.stream(ask()));
      await parts.next();
      await suspend(app, caller.account.user.id);
      const { error, took } = await endOf(parts);
      expect(error.error.type).toBe('permission_error');
      expect(took).toBeLessThan(5_000);
      await closed;
    });
  });
}
