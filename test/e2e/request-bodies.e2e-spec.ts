import { connect, type Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { registerUser } from '../support/accounts';
import { call, type CallOptions, callRaw, expectFailure, sendRaw } from '../support/http';
import { useTestApp } from '../support/use-app';

const JSON_TYPE = { 'content-type': 'application/json' };
const HEAD = 'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

describe('the body of a request', () => {
  const app = useTestApp();
  const login = (options: CallOptions) => call(`${app.url}/auth/login`, { method: 'POST', ...options });

  it.each<[string, string | Uint8Array<ArrayBuffer>]>([
    ['broken JSON', '{"email":'],
    ['an object cut short', '{'],
    ['a lone byte order mark', '\ufeff'],
    ['white space', ' \n'],
    ['bytes that are no UTF-8', Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['UTF-16', Uint8Array.from(Buffer.from('\ufeff{}', 'utf16le'))],
  ])('is refused with 400 when it is %s', async (_name, raw) => {
    expectFailure(await login({ raw, headers: JSON_TYPE }), 400, 'INVALID_JSON');
  });

  it.each([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['plain text', { 'content-type': 'text/plain' }],
    ...['latin1', 'utf-16', 'utf-16le', 'utf-32', '"UTF-7"', ''].map((charset): [string, Record<string, string>] => [
      `JSON in charset=${charset}`,
      { 'content-type': `application/json; charset=${charset}` },
    ]),
    ...['gzip', 'deflate', 'br', 'zstd', 'compress', 'GZIP', 'identity, gzip'].map(
      (encoding): [string, Record<string, string>] => [encoding, { ...JSON_TYPE, 'content-encoding': encoding }],
    ),
  ])('is refused with 415 when it is %s', async (_name, headers) => {
    expectFailure(await login({ raw: '{}', headers }), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it.each([
    ['gzip', gzipSync('{}')],
    ['br', brotliCompressSync('['.repeat(1_000_000))],
  ])('is refused with 415 even if it really is %s', async (encoding, bytes) => {
    const headers = { ...JSON_TYPE, 'content-encoding': encoding };
    expectFailure(await login({ raw: new Uint8Array(bytes), headers }), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it.each([
    ['in declared UTF-8', '{}', { 'content-type': 'Application/JSON; charset="UTF-8"' }],
    ['declared as not compressed', '{}', { ...JSON_TYPE, 'content-encoding': 'Identity' }],
    ['behind a byte order mark', '\ufeff{}', JSON_TYPE],
  ])('is read when it is %s', async (_name, raw, headers) => {
    expectFailure(await login({ raw, headers }), 422, 'VALIDATION_ERROR');
  });

  it.each([
    ['an array', '[]'],
    ['text', '"text"'],
    ['null', 'null'],
    ['NUL in a value', '{"email":"a\\u0000@example.com","password":"long enough"}'],
    ['half a surrogate pair', '{"email":"\\ud800","password":"long enough"}'],
    ['NUL in a name', '{"\\u0000":1}'],
    ['a number beyond all', '{"n":1e999}'],
    ['nesting of 33', `{"a":${'['.repeat(32)}${']'.repeat(32)}}`],
    ['nesting of 16,000 that never ends', '['.repeat(16_000)],
    ['__proto__', '{"__proto__":{"email":"a@example.com","password":"long enough"}}'],
  ])('is refused with 422 when it is or has %s', async (_name, raw) => {
    const error = expectFailure(await login({ raw, headers: JSON_TYPE }), 422, 'VALIDATION_ERROR');
    expect(error.details).toEqual({
      field: expect.any(String),
      reason: expect.stringMatching(/^[a-z_]+$/),
      errors: expect.arrayContaining([{ field: expect.any(String), reason: expect.any(String) }]),
    });
  });

  describe('that is too large', () => {
    const declared = `${HEAD}Content-Length: 100000000\r\n\r\n`;
    const chunked = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
    const chunk = `2000\r\n${'x'.repeat(0x2000)}\r\n`;

    it.each([
      ['is announced', declared],
      ['comes in chunks without end', chunked + chunk.repeat(3)],
      ['is on its way', `${declared}${'x'.repeat(400_000)}`],
      ['is sent where nothing is', declared.replace('/auth/login', '/nothing')],
      ['is sent with a method that the path has not', declared.replace('POST', 'PUT')],
    ])('is answered before it has arrived, and the connection closes, when it %s', async (_name, bytes) => {
      const answer = await callRaw(app.origin, bytes);
      expectFailure(answer, 413, 'PAYLOAD_TOO_LARGE');
      expect(answer.headers.get('connection')).toBe('close');
      expect(answer.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
    });

    it('is not read further', async () => {
      const socket = openSocket();
      const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
      const isClosed = new Promise((resolve) => socket.once('close', resolve));
      socket.on('error', () => undefined).write(chunked);
      let sent = 0;
      // Twice the connection's own buffers: a service that kept reading would read all of it.
      const feed = (): void => {
        while (sent < 40_000_000 && !socket.destroyed && socket.write(chunk)) {
          sent += chunk.length;
        }
      };
      socket.on('drain', feed);
      feed();
      expect(await answered).toMatch(/^HTTP\/1\.1 413 /);
      await isClosed;
      expect(sent).toBeLessThan(40_000_000);
    });

    it('is not requested', async () => {
      const answer = await sendRaw(app.origin, declared.replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n'));
      expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    });

    it('is not awaited if the caller is refused for another reason', async () => {
      const head = 'POST /api/v1/chat/message HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
      expectFailure(await callRaw(app.origin, `${head}Content-Length: 900000\r\n\r\n{`), 401, 'UNAUTHORIZED');
      const image = `${HEAD.replace('json', 'png')}Content-Length: 900000\r\n\r\n{`;
      expectFailure(await callRaw(app.origin, image), 415, 'UNSUPPORTED_MEDIA_TYPE');
    });

    it('may be as large as its route allows', async () => {
      const { token } = await registerUser(app);
      const custom_instructions = '\u{1f600}'.repeat(4_000);
      const raw = JSON.stringify({ custom_instructions }).replace(/[\ud800-\udfff]/g, asEscape);
      expect(raw.length).toBeGreaterThan(40_000);
      const answer = await call(`${app.url}/user/settings`, { method: 'PUT', token, raw, headers: JSON_TYPE });
      expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ custom_instructions })]);
    });
  });

  it('keeps the connection open when it is small, refused or not', async () => {
    const last = `${HEAD}Connection: close\r\nContent-Length: 2\r\n\r\n{}`;
    const unknown = HEAD.replace('/auth/login', '/chat');
    const answers = await sendRaw(
      app.origin,
      `${unknown}Content-Length: 9\r\n\r\n{"a":"b"}${HEAD}Content-Length: 2\r\nContent-Encoding: br\r\n\r\n{}${last}`,
    );
    expect([...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['401', '415', '422']);
  });

  it('that is truncated has no effect', async () => {
    const { token } = await registerUser(app);
    const head = `POST /api/v1/chat HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
    const socket = openSocket();
    await new Promise((resolve) =>
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: 20\r\n\r\n{"title"`, resolve),
    );
    socket.destroy();
    const { body } = await call<unknown[]>(`${app.url}/chat`, { token });
    expect(body).toEqual([]);
  });

  function openSocket(): Socket {
    const { hostname, port } = new URL(app.origin);
    return connect(Number(port), hostname);
  }
});

describe('from a caller whose rate limit is used up', () => {
  const app = useTestApp({ RATE_LIMIT_ANONYMOUS: '1', RATE_LIMIT_AUTH: '1' });

  beforeAll(async () => {
    await call(`${app.url}/auth/me`);
  });

  it('is not awaited longer than its headers', async () => {
    const server = app.app.getHttpServer();
    expect(server.headersTimeout).toBe(15_000);
    server.headersTimeout = 1;
    // Only after some bytes have arrived: a connection without a byte is closed without an answer.
    const answer = await callRaw(app.origin, 'GET / HTTP/1.1\r\nHost:');
    server.headersTimeout = 15_000;
    expect(expectFailure(answer, 400, 'VALIDATION_ERROR').details).toMatchObject({ reason: 'timed_out' });
  }, 15_000);

  it.each([
    ['is large', `Content-Length: 1000000\r\n\r\n{`],
    ['never comes', `Content-Length: 10\r\n\r\n`],
    ['never ends', `Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`],
    ['is broken', `Connection: close\r\nContent-Length: 1\r\n\r\n{`],
    ['is compressed', `Connection: close\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\n{`],
  ])('is ignored when it %s', async (_name, rest) => {
    const answer = await callRaw(app.origin, `${HEAD}${rest}`, true);
    expectFailure(answer, 429, 'RATE_LIMIT_EXCEEDED');
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
});

function asEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16)}`;
}
