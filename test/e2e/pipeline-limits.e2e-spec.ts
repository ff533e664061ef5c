import { registerUser } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { startTestApp, TestApp } from '../support/test-app';

describe('what a request may ask for', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app.close());

  it.each([
    ['members', { field: 'body', reason: 'too_many_items' }, membersOf(1_001)],
    ['members in a text', { field: 'password', reason: 'too_many_items' }, { password: membersOf(1_001) }],
    ['values', { field: 'body', reason: 'too_many_items' }, { password: Array(30_000).fill(0) }],
  ])('refuses a body with too many %s', async (_name, fault, body) => {
    const { details } = expectFailure(await call(`${app.url}/auth/login`, { body }), 422, 'VALIDATION_ERROR');
    expect(details).toEqual({ ...fault, errors: [fault] });
  });

  it.each([
    ['a range', { range: 'bytes=99999-' }],
    ['a condition that cannot hold', { 'if-match': '"x"' }],
    ['a time long past', { 'if-unmodified-since': 'Mon, 01 Jan 1990 00:00:00 GMT' }],
  ])('sends its files whole, whoever asks for them with %s', async (_name, headers) => {
    for (const path of ['/static/agents/default.svg', '/docs/swagger-ui.css']) {
      const answer = await call(`${app.origin}${path}`, { headers });
      expect([path, answer.status, answer.headers.get('accept-ranges')]).toEqual([path, 200, 'none']);
    }
  });

  it('has no failure kept by caches', async () => {
    expect((await call(`${app.origin}/nothing`)).headers.get('cache-control')).toBe('no-store');
  });

  it('refuses a known parameter in an unknown form, and leaves out unknown ones', async () => {
    const { token } = await registerUser(app);
    for (const query of ['q[]=a', 'q[a]=b', 'is_archived[]=true&x[]=1']) {
      expectFailure(await call(`${app.url}/chat?${query}`, { token }), 400, 'VALIDATION_ERROR');
    }
    expect((await call(`${app.url}/chat?x[]=1`, { token })).status).toBe(200);
  });
});

function membersOf(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 0]));
}
