import type { RequestListener } from 'node:http';
import { type ChatClient, type ChatClientOptions, ConnectionError, createChatClient } from '../src';
import { cut, cutInBody, good, refused, ScriptedServer, stalled } from './scripted-server';

describe('retries of the client', () => {
  let server: ScriptedServer;

  beforeAll(async () => void (server = await ScriptedServer.start()));
  afterAll(() => server.close());

  const newClient = (options: ChatClientOptions = {}): ChatClient =>
    createChatClient({ baseUrl: server.baseUrl, accessToken: 'ck_1', ...options });

  const away = refused(503, 'SERVICE_UNAVAILABLE');
  const read = (client = newClient()) => client.agents.read({ path: { id: 1 } });
  const key = { 'Idempotency-Key': 'one' };

  it.each<[string, RequestListener]>([
    ...[408, 429, 500, 502, 503, 504].map((status): [string, RequestListener] => [
      String(status),
      refused(status, 'SERVICE_UNAVAILABLE'),
    ]),
    ['a lost connection before the response', cut],
    ['a lost connection during the response', cutInBody],
  ])('repeat a GET after %s', async (_name, failure) => {
    server.script(failure, good());
    expect(await read()).toEqual({ id: 1 });
    expect(server.routes).toEqual(['GET /api/v1/agents/1', 'GET /api/v1/agents/1']);
  });

  it.each([400, 403, 404, 405, 409, 413, 422, 501])('never follow a %i, which is permanent', async (status) => {
    server.script(refused(status, 'NOT_FOUND'));
    await expect(read()).rejects.toMatchObject({ status });
    expect(server.requests).toHaveLength(1);
  });

  it.each<[number, ChatClientOptions, { maxRetries?: number | undefined }]>([
    [3, {}, {}],
    [3, {}, { maxRetries: undefined }],
    [1, { maxRetries: 0 }, {}],
    [2, { maxRetries: 0 }, { maxRetries: 1 }],
    [1, {}, { maxRetries: 0 }],
  ])('send a request %i times with the options %j and those of the call %j', async (times, options, ofCall) => {
    server.script(cut);
    await expect(newClient(options).users.me(ofCall)).rejects.toBeInstanceOf(ConnectionError);
    expect(server.requests).toHaveLength(times);
  });

  it('repeat a write with an Idempotency-Key, with the same key and body', async () => {
    server.script(away, cut, good());
    expect(await newClient().chat.create({ body: { title: 'Lisbon' }, headers: key })).toEqual({ id: 1 });
    expect(server.requests.map((request) => [request.route, request.key, request.body])).toEqual(
      Array.from({ length: 3 }, () => ['POST /api/v1/chat', 'one', { title: 'Lisbon' }]),
    );
  });

  it.each<[string, (client: ChatClient) => Promise<unknown>]>([
    ['POST', (client) => client.chat.create({ body: {} })],
    ['PUT', (client) => client.chat.update({ path: { chat_id: 1 }, body: {} })],
    ['DELETE', (client) => client.chat.remove({ path: { chat_id: 1 } })],
    // For this route, an idempotency key has no effect.
    ['POST', (client) => client.webhooks.test({ path: { id: 1 }, headers: key } as { path: { id: number } })],
  ])('never repeat another write: %s', async (method, write) => {
    for (const failure of [away, cut, cutInBody]) {
      server.script(failure);
      await expect(write(newClient({ maxRetries: 5 }))).rejects.toThrow();
      expect(server.requests).toHaveLength(1);
      expect(server.routes[0]).toMatch(method);
    }
  });

  it('never repeat a message whose reply has failed', async () => {
    server.script(refused(502, 'PROVIDER_ERROR', { details: { message_id: 2 } }));
    await expect(newClient().chat.send({ body: { chat_id: 1, content: 'Hi' }, headers: key })).rejects.toThrow('No.');
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['seconds', () => '1'],
    ['a time', () => new Date(Date.now() + 2_000).toUTCString()],
  ])('wait as long as the service requires, in %s', async (_name, after) => {
    server.script(refused(429, 'RATE_LIMIT_EXCEEDED', { after: after() }), good());
    await read();
    const [first, second] = server.requests;
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(990);
  });

  it('do not follow a wait of more than a minute', async () => {
    server.script(refused(503, 'SERVICE_UNAVAILABLE', { after: '61' }));
    await expect(read()).rejects.toMatchObject({ retryAfter: 61 });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    [0, 125, 250],
    [0.999, 249, 499],
  ])('wait longer each time, with a random share (random: %f)', async (random, first, second) => {
    jest.spyOn(Math, 'random').mockReturnValue(random);
    server.script(away, away, good());
    await read();
    const [one, two, three] = server.requests.map(({ at }) => at);
    // A timer may fire up to one millisecond early.
    expect([two! - one! >= first - 1, three! - two! >= second - 1]).toEqual([true, true]);
    expect(three! - two!).toBeGreaterThan(two! - one!);
  });

  it('stop at once when the caller aborts during the wait', async () => {
    server.script(refused(503, 'SERVICE_UNAVAILABLE', { after: '30' }));
    const leaving = new AbortController();
    const reading = newClient().users.me({ signal: leaving.signal, onResponse: () => setImmediate(leave) });
    const leave = (): void => leaving.abort(new Error('Left.'));
    await expect(reading).rejects.toThrow('Left.');
    expect(server.requests).toHaveLength(1);
  });

  it('never repeat a token refresh, but repeat the request once with the new tokens', async () => {
    const pair = { access_token: 'a', refresh_token: 'r', expires_in: 3_600, refresh_expires_in: 9_999 };
    const client = createChatClient({ baseUrl: server.baseUrl });
    server.script(good(pair));
    await client.session.logIn({ email: 'ada@example.com', password: 'correct horse' });
    const expired = refused(401, 'TOKEN_EXPIRED');
    server.script(expired, cut);
    await expect(client.users.me()).rejects.toBeInstanceOf(ConnectionError);
    expect(server.routes).toEqual(['GET /api/v1/users/me', 'POST /api/v1/auth/refresh_token']);
    server.script(expired, good(pair), good());
    expect(await client.chat.create({ body: {} })).toEqual({ id: 1 });
    expect(server.routes).toEqual(['POST /api/v1/chat', 'POST /api/v1/auth/refresh_token', 'POST /api/v1/chat']);
  });

  it('report every response, successful or not', async () => {
    server.script(away, good());
    const seen: number[] = [];
    await newClient().users.me({ onResponse: ({ status }) => void seen.push(status) });
    expect(seen).toEqual([503, 200]);
  });

  it('do not start if the signal is already aborted', async () => {
    server.script(stalled);
    await expect(newClient().users.me({ signal: AbortSignal.abort(new Error('Left.')) })).rejects.toThrow('Left.');
    expect(server.requests).toHaveLength(0);
  });
});
