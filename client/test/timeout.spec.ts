import type { RequestListener } from 'node:http';
import { type ChatClient, ConnectionError, createChatClient, TimeoutError } from '../src';
import { good, ScriptedServer, stalled, stalledInBody } from './scripted-server';

/** Several chunks, each in time, that together take longer than the timeout. */
const slow: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const pieces = ['{', '"id"', ':', '1', '}'];
  const timer = setInterval(() => {
    response.write(pieces.shift());
    if (pieces.length > 0) return;
    clearInterval(timer);
    response.end();
  }, 100);
};

const late: RequestListener = (request, response) => setTimeout(() => good()(request, response), 250);

describe('the timeout of the client', () => {
  let server: ScriptedServer;

  const newClient = (timeout?: number) => createChatClient({ baseUrl: server.baseUrl, accessToken: 'ck_1', timeout });

  beforeAll(async () => {
    server = await ScriptedServer.start();
    // The first request loads shared code, and may take longer than the timeouts here.
    server.script(good());
    await newClient().users.me();
  });

  afterAll(() => server.close());

  it.each([
    ['no data arrives', stalled],
    ['the response stalls', stalledInBody],
  ])('aborts a request when %s, and retries it', async (_name, answer) => {
    server.script(answer);
    const failure: unknown = await newClient(50)
      .users.me()
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TimeoutError);
    expect(failure).toBeInstanceOf(ConnectionError);
    expect(failure).toMatchObject({ name: 'TimeoutError' });
    expect(server.requests).toHaveLength(3);
    server.script(answer, good());
    expect(await newClient(50).users.me()).toEqual({ id: 1 });
  });

  it('can be overridden per call', async () => {
    server.script(stalled);
    await expect(newClient().users.me({ timeout: 50, maxRetries: 0 })).rejects.toBeInstanceOf(TimeoutError);
    server.script(late);
    expect(await newClient(50).users.me({ timeout: 5_000 })).toEqual({ id: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it('restarts with each chunk of the response', async () => {
    server.script(slow);
    expect(await newClient(250).users.me({ maxRetries: 0 })).toEqual({ id: 1 });
  });

  it.each([0, Infinity])('is disabled with %d', async (timeout) => {
    server.script(late);
    expect(await newClient(timeout).users.me({ maxRetries: 0 })).toEqual({ id: 1 });
  });

  it('applies to writes only with an Idempotency-Key', async () => {
    server.script(stalled, good());
    const headers = { 'Idempotency-Key': 'one' };
    expect(await newClient(50).chat.create({ body: {}, headers })).toEqual({ id: 1 });
    expect(server.requests).toHaveLength(2);
    server.script(late);
    expect(await newClient(50).chat.create({ body: {} })).toEqual({ id: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, (client: ChatClient, signal: AbortSignal) => Promise<unknown>]>([
    ['a read', (client, signal) => client.users.me({ signal })],
    ['a write', (client, signal) => client.chat.create({ body: {}, signal })],
  ])('does not hide that the caller of %s has aborted', async (_name, ask) => {
    server.script(stalledInBody);
    const signal = AbortSignal.timeout(100);
    const failure: unknown = await ask(newClient(5_000), signal).catch((error: unknown) => error);
    expect(failure).toBe(signal.reason);
    expect(server.requests).toHaveLength(1);
  });
});
