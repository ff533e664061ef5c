import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import {
  addProvider,
  type AnthropicCaller,
  type AnthropicError,
  ask,
  textOf,
  useAnthropicApi,
} from '../support/anthropic-api';
import { event, events, head, json, message, messageEvents } from '../support/anthropic-upstream';
import { freePort } from '../support/servers/free-port';
import { made, useOwnChatApp } from '../support/use-app';

const app = useOwnChatApp({ CONCURRENT_NORMAL: '50', RATE_LIMIT_NORMAL: '10000' });
const api = useAnthropicApi(app);
const caller = made<AnthropicCaller>(beforeAll, () => api.newCaller());

/** JSON that no serializer would write this way. */
const ODD = `{ "model" :"claude-test" , "max_tokens":1.0e2,
  "messages": [ {"role":"user","content":[{"type":"text","text":"caf\\u00e9 \\ud83d","cache_control":{"type":"ephemeral"}}]} ],
  "unknown": {"b":1.50,"a":[null]}, "metadata":{"user_id":"x"} }`;

describe('a request to an Anthropic provider', () => {
  it('reaches the provider byte for byte, with its query and the headers of the client', async () => {
    const answer = await caller.send('/v1/messages?beta=true&x=%20', {
      raw: ODD,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'anthropic-version': '2026-10-21',
        'anthropic-beta': 'oauth-2025-04-20,context-1m-2025-08-07, other',
        'user-agent': 'claude-cli/2.1.332',
        'x-app': 'cli',
        'x-stainless-lang': 'js',
        'x-claude-code-session-id': 's',
        'anthropic-workspace-id': 'w',
        'anthropic-user-profile-id': 'p',
        'x-forwarded-for': '10.0.0.1',
        cookie: 'a=b',
      },
    });
    expect(answer.status).toBe(200);
    const { path, headers, bytes } = api.upstream.last;
    expect(bytes.toString()).toBe(ODD);
    expect(path).toBe('/v1/messages?beta=true&x=%20');
    const { host: _host, connection: _connection, ...others } = headers;
    expect(others).toEqual({
      accept: 'application/json',
      'accept-encoding': 'identity',
      'anthropic-beta': 'context-1m-2025-08-07, other',
      'anthropic-version': '2026-10-21',
      'content-length': String(bytes.length),
      'content-type': 'application/json',
      'user-agent': 'claude-cli/2.1.332',
      'x-api-key': 'key-of-the-provider',
      'x-app': 'cli',
      'x-claude-code-session-id': 's',
      'x-stainless-lang': 'js',
    });
  });

  it('changes only the model if the provider uses another name', async () => {
    await caller.message(ODD.replace('claude-test', 'renamed'));
    expect(api.upstream.last.bytes.toString()).toBe(ODD.replace('claude-test', 'claude-other'));
  });

  it('loses thinking of this service, and keeps the bytes of all other messages', async () => {
    const ours = '{"type":"thinking","thinking":"","signature":"ck1.reasoning"}';
    const theirs = '{"type":"thinking","thinking":"h","signature":"theirs"}';
    const body = (middle: string): string =>
      `{"model":"claude-test","max_tokens":9,"messages":[{ "role":"user","content":"a" },${middle},{"role":"user", "content":"b"}]}`;
    await caller.message(body(`{"role":"assistant","content":[${ours},${theirs}]}`));
    expect(api.upstream.last.bytes.toString()).toBe(body(`{"role":"assistant","content":[${theirs}]}`));
  });

  it('is refused if a field occurs twice, however it is written', async () => {
    const twice = '{"model":"claude-test","max_tokens":5,"messages":[],"mod\\u0065l":"claude-other"}';
    const answer = await caller.message<AnthropicError>(twice);
    expect([answer.status, answer.body.error.type]).toEqual([400, 'invalid_request_error']);
    expect(answer.body.error.details).toEqual({ error_code: 'duplicate_field', field: 'model' });
    expect(api.upstream.requests).toEqual([]);
  });

  it('may be larger than other bodies', async () => {
    const data = 'A'.repeat(12 * 1_048_576);
    const source = { type: 'base64', media_type: 'image/png', data };
    const body = JSON.stringify(ask('x', { messages: [{ role: 'user', content: [{ type: 'image', source }] }] }));
    expect((await caller.message(body)).status).toBe(200);
    expect(api.upstream.last.bytes.equals(Buffer.from(body))).toBe(true);
  });
});

describe('the response of an Anthropic provider', () => {
  it('returns byte for byte, with both request ids', async () => {
    const bytes = JSON.stringify(message({ text: 'é' }), null, 3);
    api.upstream.acts.push(json(bytes, 200, { 'anthropic-ratelimit-tokens-limit': '1', 'x-other': 'y' }));
    const answer = await caller.message(ask());
    expect(answer.text).toBe(bytes);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('request-id')).toBe(answer.headers.get('x-request-id'));
    expect(answer.headers.get('x-provider-request-id')).toBe('req_upstream');
    expect(answer.headers.get('anthropic-ratelimit-tokens-limit')).toBeNull();
    expect(answer.headers.get('x-other')).toBeNull();
    expect(answer.headers.get('anthropic-ratelimit-requests-limit')).toBe('10000');
    expect(answer.headers.get('anthropic-ratelimit-requests-reset')).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it('streams byte for byte, with pings and unknown events', async () => {
    const bytes = messageEvents({ text: 'é' }).replaceAll('\n', '\r\n');
    api.upstream.acts.push(events(bytes));
    const response = await caller.stream(ask());
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await response.text()).toBe(bytes);
  });

  it('streams each event as soon as it is complete, and none before', async () => {
    const [first = '', second = '', ...others] = messageEvents({}).split(/(?<=\n\n)/);
    let finish: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (finish = resolve));
    api.upstream.acts.push(async (response) => {
      head(response);
      response.write(first + second.slice(0, 20));
      await asked;
      response.end(second.slice(20) + others.join(''));
    });
    const parts = textOf(await caller.stream(ask()));
    expect((await parts.next()).value).toBe(first);
    finish();
    let rest = '';
    for await (const part of parts) {
      rest += part;
    }
    expect(rest).toBe(second + others.join(''));
  });

  it('ends with an error event if the provider breaks off, and cuts no event', async () => {
    const [first = '', second = ''] = messageEvents({}).split(/(?<=\n\n)/);
    api.upstream.acts.push(async (response) => {
      head(response);
      response.write(first + second.slice(0, 20));
      await new Promise((resolve) => setImmediate(resolve));
      response.destroy();
    });
    const text = await (await caller.stream(ask())).text();
    const [start, error] = text.split(/(?<=\n\n)/);
    expect(start).toBe(first);
    const data = JSON.parse(error?.replace(/^event: error\ndata: /, '') ?? '') as AnthropicError;
    expect(data).toMatchObject({ type: 'error', error: { type: 'api_error' } });
    expect(text).not.toContain('message_stop');
  });

  it('ends with the error event of the provider, without another one', async () => {
    const overloaded = event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
    const [first = ''] = messageEvents({}).split(/(?<=\n\n)/);
    api.upstream.acts.push(events(first + overloaded));
    expect(await (await caller.stream(ask())).text()).toBe(first + overloaded);
  });

  it.each([400, 404, 409, 413, 422])('relays a refusal with status %i and its text, without keys', async (status) => {
    const error = { type: 'invalid_request_error', message: 'bad: key-of-the-provider', details: { a: 1 } };
    const headers = { 'x-should-retry': 'false', 'retry-after': '7' };
    api.upstream.acts.push(json({ type: 'error', error, request_id: 'req_theirs' }, status, headers));
    const answer = await caller.message<AnthropicError>(ask());
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'bad: [key]', details: { a: 1 } },
      request_id: answer.headers.get('request-id'),
    });
    expect([answer.headers.get('x-should-retry'), answer.headers.get('retry-after')]).toEqual(['false', '7']);
  });

  it.each([
    [401, 502, 'api_error'],
    [403, 502, 'api_error'],
    [418, 502, 'api_error'],
    [429, 529, 'overloaded_error'],
    [500, 502, 'api_error'],
    [503, 529, 'overloaded_error'],
    [504, 502, 'api_error'],
    [529, 529, 'overloaded_error'],
  ])('shows status %i of the provider as %i %s, without its text', async (status, shown, type) => {
    const error = { type: 'authentication_error', message: 'their text' };
    api.upstream.acts.push(json({ type: 'error', error }, status));
    const answer = await caller.message<AnthropicError>(ask());
    expect([answer.status, answer.body.error.type]).toEqual([shown, type]);
    expect(answer.text).not.toContain('their text');
    expect(answer.headers.get('retry-after') !== null).toBe(shown === 529);
    expect(api.upstream.requests).toHaveLength(1);
  });

  it('is 502 if it is no message, and 529 if the provider cannot be reached', async () => {
    api.upstream.acts.push(json('<html>', 200));
    expect((await caller.message<AnthropicError>(ask())).status).toBe(502);
    const name = 'unreachable';
    await addProvider(api.admin, name, `http://127.0.0.1:${await freePort()}`);
    const { data } = (await api.admin.get<{ models: object[]; version: number }>('/admin/anthropic_models')).body;
    const models = [...data.models, { id: 'away', provider: name, model: 'm' }];
    expect((await api.admin.put('/admin/anthropic_models', { models, version: data.version })).status).toBe(200);
    const answer = await caller.message<AnthropicError>(ask('x', { model: 'away' }));
    expect([answer.status, answer.body.error.type]).toEqual([529, 'overloaded_error']);
  });

  it.each([true, false])('is aborted within 100 ms after the client disconnects (streamed: %j)', async (stream) => {
    const times: number[] = [];
    // The fastest of five, because other work on the machine delays some.
    for (let time = 0; time < 5; time++) {
      const arrived = new Promise<ServerResponse>((resolve) => {
        api.upstream.acts.push((response) => {
          if (stream) {
            head(response);
            response.write(messageEvents({}).split(/(?<=\n\n)/)[0]);
          }
          resolve(response);
        });
      });
      const leaving = new AbortController();
      const first = caller.stream(ask('x', { stream }), leaving.signal).then((response) => textOf(response).next());
      const answer = first.catch(() => undefined);
      const cut = once(await arrived, 'close');
      await (stream ? answer : null);
      const left = performance.now();
      leaving.abort();
      await cut;
      times.push(performance.now() - left);
      await answer;
    }
    expect(Math.min(...times)).toBeLessThan(100);
  });
});

describe('counting tokens', () => {
  it('calls the provider, byte for byte', async () => {
    const body = '{"model":"claude-test", "messages":[{"role":"user","content":"a"}]}';
    const options = { raw: body, headers: { 'content-type': 'application/json' } };
    const answer = await caller.send('/v1/messages/count_tokens?beta=true', options);
    expect([answer.status, answer.body]).toEqual([200, { input_tokens: 21 }]);
    expect(answer.headers.get('x-token-count')).toBe('exact');
    expect(api.upstream.last.path).toBe('/v1/messages/count_tokens?beta=true');
    expect(api.upstream.last.bytes.toString()).toBe(body);
    expect(answer.headers.get('x-ratelimit-limit')).toBe('120');
  });
});
