import { registerUser } from '../support/accounts';
import { call, callRaw, expectFailure } from '../support/http';
import { useTestApp } from '../support/use-app';

describe('request limits', () => {
  const app = useTestApp();

  it.each([
    ['members', { field: 'body', reason: 'too_many_items' }, membersOf(1_001)],
    ['members in a text', { field: 'password', reason: 'too_many_items' }, { password: membersOf(1_001) }],
  ])('refuses a body with too many %s', async (_name, fault, body) => {
    const { details } = expectFailure(await call(`${app.url}/auth/login`, { body }), 422, 'VALIDATION_ERROR');
    expect(details).toEqual({ ...fault, errors: [fault] });
  });

  it('refuses a large body with too many values', async () => {
    const { token } = await registerUser(app);
    const fault = { field: 'body', reason: 'too_many_items' };
    const answer = await call(`${app.url}/chat/message`, { token, body: { content: Array(30_000).fill(0) } });
    expect(expectFailure(answer, 422, 'VALIDATION_ERROR').details).toEqual({ ...fault, errors: [fault] });
  });

  it.each([
    ['a range', { range: 'bytes=99999-' }],
    ['a condition that cannot hold', { 'if-match': '"x"' }],
    ['a time long past', { 'if-unmodified-since': 'Mon, 01 Jan 1990 00:00:00 GMT' }],
  ])('sends its files completely to a client that requests them with %s', async (_name, headers) => {
    for (const path of ['/static/agents/default.svg', '/docs/swagger-ui.css']) {
      const answer = await call(`${app.origin}${path}`, { headers });
      expect([path, answer.status, answer.headers.get('accept-ranges')]).toEqual([path, 200, 'none']);
    }
  });

  it('prevents caching of API answers and errors', async () => {
    const { token } = await registerUser(app);
    const preflight = { origin: 'https://app.example.com', 'access-control-request-method': 'POST' };
    for (const [url, options] of [
      [`${app.origin}/nothing`, {}],
      [`${app.url}/nothing`, {}],
      [`${app.url}/chat/%FF`, {}],
      [`${app.url}/auth/me`, {}],
      [`${app.url}/auth/me`, { token }],
      [`${app.origin}/API/v1/auth/me`, { token }],
      [`${app.url}/chat`, { token }],
      [`${app.url}/chat`, { token, method: 'HEAD' }],
      [`${app.url}/chat`, { method: 'OPTIONS', headers: preflight }],
      [`${app.url}/agents`, { token }],
      [`${app.url}/user/export`, { token }],
      [`${app.url}/webhooks`, { token, body: {} }],
    ] as const) {
      expect([url, (await call(url, options)).headers.get('cache-control')]).toEqual([url, 'no-store']);
    }
    expect((await callRaw(app.origin, 'NONSENSE\r\n\r\n')).headers.get('cache-control')).toBe('no-store');
    const picture = await call(`${app.origin}/static/agents/default.svg`);
    expect(picture.headers.get('cache-control')).toContain('max-age');
  });

  it('refuses a known parameter in an unknown form, and ignores unknown ones', async () => {
    const { token } = await registerUser(app);
    expectFailure(await call(`${app.url}/chat?q[]=a`, { token }), 400, 'VALIDATION_ERROR');
    expect((await call(`${app.url}/chat?x[]=1`, { token })).status).toBe(200);
  });
});

function membersOf(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 0]));
}
