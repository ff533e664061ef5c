import { registerUser } from '../support/accounts';
import { call, callRaw, expectFailure, sendRaw } from '../support/http';
import { startTestApp, type TestApp } from '../support/test-app';

const RAW_LOGIN = 'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

describe('the request pipeline', () => {
  let app: TestApp;

  beforeAll(async () => {
    // Browsers send the same without the port, in lower case.
    app = await startTestApp({ CORS_ORIGINS: 'https://App.Example.com:443' });
  });

  afterAll(() => app.close());

  it("assigns every answer an id, and uses the caller's id if it is harmless", async () => {
    const own = await call(`${app.origin}/health/live`);
    const kept = await call(`${app.origin}/health/live`, { headers: { 'x-request-id': 'trace_42-a' } });
    const refused = await call(`${app.origin}/health/live`, { headers: { 'x-request-id': 'a b' } });
    const secret = await call(`${app.origin}/health/live`, { headers: { 'x-request-id': `ck_${'a1'.repeat(24)}` } });
    expect(own.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(kept.headers.get('x-request-id')).toBe('trace_42-a');
    expect(refused.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    // It would be in each line of the log.
    expect(secret.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('answers unknown paths in the envelope, inside and outside the prefix', async () => {
    expectFailure(await call(`${app.url}/nothing`), 404, 'NOT_FOUND');
    expectFailure(await call(`${app.origin}/nothing`), 404, 'NOT_FOUND');
  });

  it('distinguishes a wrong method from a wrong path, and names the allowed methods', async () => {
    const answer = await call(`${app.url}/auth/login`, { method: 'DELETE' });
    expectFailure(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.get('allow')).toBe('OPTIONS, POST');
    expectFailure(await call(`${app.url}/chat/1`, { method: 'PATCH' }), 405, 'METHOD_NOT_ALLOWED');
  });

  it.each([
    ['/chat/message', 'OPTIONS, POST', ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH']],
    ['/chat/trash', 'GET, HEAD, OPTIONS', ['PUT', 'DELETE', 'POST']],
    ['/agents/import', 'OPTIONS, POST', ['GET', 'PUT', 'DELETE']],
  ])('treats %s as its own path, not as an id', async (path, allow, methods) => {
    for (const method of methods) {
      const answer = await call(`${app.url}${path}`, { method });
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, allow]);
    }
    const options = await call(`${app.url}${path}`, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, allow]);
  });

  it('answers an undecodable path with 400', async () => {
    expectFailure(await call(`${app.url}/chat/%E0%A4%A`), 400, 'VALIDATION_ERROR');
  });

  it('refuses to answer in an unsupported type', async () => {
    const answer = await call(`${app.url}/auth/login`, { body: {}, headers: { accept: 'image/png' } });
    expectFailure(answer, 406, 'NOT_ACCEPTABLE');
  });

  it('accepts its answer type with a charset', async () => {
    const answer = await call(`${app.url}/auth/providers`, { headers: { accept: 'application/json; charset=UTF-8' } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  });

  it.each([
    ['/health', 'text/html'],
    ['/metrics', 'application/openmetrics-text; version=1.0.0'],
  ])('returns operators %s with any Accept header', async (path, accept) => {
    expect((await call(`${app.origin}${path}`, { headers: { accept } })).status).toBe(200);
  });

  it.each([
    ['nonsense', 'NONSENSE\r\n\r\n'],
    ['a path in raw UTF-8', 'GET /api/v1/ü HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['two lengths', `${RAW_LOGIN}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    ['a chunk of no size', `${RAW_LOGIN}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
  ])('answers malformed HTTP in its own format: %s', async (_name, bytes) => {
    const fault = { field: 'request', reason: 'malformed_http' };
    expect(expectFailure(await callRaw(app.origin, bytes), 400, 'VALIDATION_ERROR')).toEqual({
      code: 'VALIDATION_ERROR',
      message: 'The request is not well-formed HTTP.',
      details: { ...fault, errors: [fault] },
    });
  });

  it('refuses 20 KB of headers with 413', async () => {
    const answer = await callRaw(app.origin, `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'a'.repeat(20_000)}\r\n\r\n`);
    const fault = { field: 'headers', reason: 'too_long' };
    expect(expectFailure(answer, 413, 'PAYLOAD_TOO_LARGE').details).toEqual({ ...fault, errors: [fault] });
  });

  it.each([
    ['without a host', '', { field: 'host', reason: 'required' }],
    ['with an unknown expectation', 'Host: x\r\nExpect: tea\r\n', { field: 'expect', reason: 'not_allowed' }],
  ])('refuses a request %s, and counts it', async (_name, headers, fault) => {
    const head = `GET /api/v1/auth/me HTTP/1.1\r\n${headers}X-Request-Id: own-1\r\nConnection: close\r\n\r\n`;
    const answer = await callRaw(app.origin, head);
    expect(expectFailure(answer, 400, 'VALIDATION_ERROR').details).toEqual({ ...fault, errors: [fault] });
    expect(answer.headers.get('x-request-id')).toBe('own-1');
    expect(answer.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
  });

  it('serves HTTP/1.0, which has no host, and bodies with a declared length', async () => {
    expect((await callRaw(app.origin, 'GET /health/live HTTP/1.0\r\n\r\n')).body).toEqual({ status: 'ok' });
    const announced = 'Content-Length: 2\r\nExpect: 100-Continue\r\nConnection: close\r\n\r\n{}';
    expect(await sendRaw(app.origin, RAW_LOGIN + announced)).toMatch(/^HTTP\/1\.1 100 .*\r\n\r\nHTTP\/1\.1 422 /);
  });

  it("lists the methods of agents' images", async () => {
    const answer = await call(`${app.origin}/static/agents/default.svg`, { method: 'POST' });
    expectFailure(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expectFailure(await call(`${app.origin}/static/agents/nobody.svg`, { method: 'POST' }), 404, 'NOT_FOUND');
  });

  it.each([
    ['de', false],
    ['xx-Unknown, fr;q=0.5', false],
    ['*', true],
  ])('uses the language in Accept-Language: %s', async (language, isEnglish) => {
    const english = expectFailure(await call(`${app.url}/nothing`), 404, 'NOT_FOUND');
    const headers = { 'accept-language': language };
    const answer = expectFailure(await call(`${app.url}/nothing`, { headers }), 404, 'NOT_FOUND');
    expect(answer.message === english.message).toBe(isEnglish);
  });

  it('names the exceeded limit in the message', async () => {
    const token = (await registerUser(app)).token;
    const error = expectFailure(await call(`${app.url}/chat?limit=1000`, { token }), 400, 'VALIDATION_ERROR');
    expect(error.message).toMatch(/limit.*100\b/);
  });

  it('lets the configured origin read its headers, and no other', async () => {
    const allowed = await call(`${app.url}/nothing`, { headers: { origin: 'https://app.example.com' } });
    const other = await call(`${app.url}/nothing`, { headers: { origin: 'https://evil.example.com' } });
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect(allowed.headers.get('access-control-expose-headers')).toMatch(/X-RateLimit-Remaining.*X-Chat-Id/);
    expect(other.headers.get('access-control-allow-origin')).not.toBe('https://evil.example.com');
    const preflight = await call(`${app.url}/chat/message`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
    expect(preflight.headers.get('x-ratelimit-limit')).toBeNull();
  });

  it.each([
    ['without an origin', {}],
    ['with an origin alone', { origin: 'https://app.example.com' }],
  ])(
    'answers an OPTIONS %s like other requests: counted, with Allow, 404 for unknown paths',
    async (_name, headers) => {
      const answer = await call(`${app.url}/auth/login`, { method: 'OPTIONS', headers });
      expect([answer.status, answer.text, answer.headers.get('allow')]).toEqual([204, '', 'OPTIONS, POST']);
      expect(answer.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
      expectFailure(await call(`${app.url}/nothing`, { method: 'OPTIONS', headers }), 404, 'NOT_FOUND');
      const star = await callRaw(app.origin, 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      expectFailure(star, 404, 'NOT_FOUND');
      expect(star.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
    },
  );

  it('sends headers that protect a browser, and none that name the software', async () => {
    const { headers } = await call(`${app.url}/nothing`);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it('serves its documentation without third-party hosts', async () => {
    const [swagger, redoc, script, json, yaml] = await Promise.all(
      ['/docs', '/redoc', '/redoc/redoc.standalone.js', '/openapi.json', '/openapi.yaml'].map((path) =>
        call(`${app.origin}${path}`),
      ),
    );
    expect([swagger, redoc, script, json, yaml].map((answer) => answer?.status)).toEqual([200, 200, 200, 200, 200]);
    expect(`${swagger?.text}${redoc?.text}`).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(script?.text.includes('https://cdn.')).toBe(false);
    expect(
      [swagger, redoc].map((answer) => /<link rel=['"]icon['"] href=['"]\/favicon.svg/.test(answer?.text ?? '')),
    ).toEqual([true, true]);
    expect(json?.body).toMatchObject({ openapi: expect.stringMatching(/^3\./) });
    expect(yaml?.text).toMatch(/^openapi: 3\./m);
    expect(swagger?.headers.get('x-ratelimit-limit')).toBeNull();
  });

  it('reports liveness, readiness and metrics to operators', async () => {
    expect((await call(`${app.origin}/health/live`)).body).toEqual({ status: 'ok' });
    expect((await call(`${app.origin}/health/ready`)).status).toBe(200);
    const metrics = await call(`${app.origin}/metrics`);
    expect(metrics.text).toMatch(/http_request_duration_seconds_count\{method="GET",route="[^"]*",status="404"\} \d+/);
  });
});
