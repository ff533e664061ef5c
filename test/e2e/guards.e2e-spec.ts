// @databases mariadb: locks and counters
import type { ServerResponse } from 'node:http';
import { makeKey } from '../support/api-keys';
import { ScriptedGuard } from '../support/guard-server';
import { call, expectFailure } from '../support/http';
import { made, useAdmin, useOwnChatApp } from '../support/use-app';
import { verify } from '../support/webhook-receiver';

const GUARDS = '/admin/guards';

interface Guard {
  id: number;
  name: string;
  secret: string | null;
  position: number;
}

describe('guards', () => {
  const app = useOwnChatApp({ GUARD_ALLOWED_HOSTS: '127.0.0.1' });
  const admin = useAdmin(app);
  const server = made(beforeAll, () => ScriptedGuard.start());
  let names = 0;

  afterAll(() => server.close());
  afterEach(async () => {
    for (const { id } of await admin.items<Guard>(GUARDS)) {
      await admin.delete(`${GUARDS}/${id}`);
    }
    server.calls.length = 0;
    server.script = () => ({ action: 'allow' });
  });

  const fields = (more: object = {}): object => ({
    ...{ name: `guard-${++names}`, kind: 'http', url: server.url, stages: ['input'], mode: 'block' },
    ...more,
  });
  const add = async (more: object = {}): Promise<Guard> => (await admin.post<Guard>(GUARDS, fields(more))).body.data;
  const faultOf = (answer: Parameters<typeof expectFailure>[0]): string => {
    const { field, reason } = expectFailure(answer, 422, 'VALIDATION_ERROR').details;
    return `${field as string}: ${reason as string}`;
  };

  it('are added, listed, changed, ordered and deleted, and their secrets are shown once', async () => {
    const created = await admin.post<Guard>(GUARDS, fields({ name: 'first', headers: { 'X-Api-Key': 'top-secret' } }));
    const first = created.body.data;
    expect([created.status, first]).toEqual([
      201,
      expect.objectContaining({
        ...{ name: 'first', kind: 'http', url: server.url, headers: ['X-Api-Key'], stages: ['input'], mode: 'block' },
        ...{ on_error: 'closed', timeout_ms: 2_000, groups: null, agents: null, window: 200, restore: 'answer' },
        ...{ rules: [], position: 1, is_active: true, secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) },
      }),
    ]);
    const second = await add({ name: 'second', kind: 'builtin', url: undefined, rules: ['email'], mode: 'mask' });
    expect(second).toMatchObject({ position: 2, url: null, secret: null });
    const path = `${GUARDS}/${first.id}`;
    const changed = await admin.put<Guard>(path, { mode: 'report', timeout_ms: 50 });
    expect(changed.body.data).toMatchObject({ name: 'first', mode: 'report', timeout_ms: 50, secret: null });
    expect((await admin.get(path)).body.data).toEqual(changed.body.data);
    const ordered = await admin.put(`${GUARDS}/order`, { ids: [second.id, first.id] });
    expect(ordered.status).toBe(200);
    expect((await admin.items<Guard>(GUARDS)).map(({ name }) => name)).toEqual(['second', 'first']);
    expect(await admin.entriesOf(created)).toMatchObject([{ action: 'guard.create', target_id: String(first.id) }]);
    expect(JSON.stringify(await admin.entriesOf(created))).not.toMatch(/top-secret|whsec_/);
    expect((await admin.delete(path)).body.data).toEqual({ id: first.id });
    expectFailure(await admin.get(path), 404, 'GUARD_NOT_FOUND');
    expectFailure(await admin.delete(path), 404, 'GUARD_NOT_FOUND');
  });

  it('need a name of their own, an allowed address, and known groups and agents', async () => {
    const guard = await add({ name: 'taken' });
    expectFailure(await admin.post(GUARDS, fields({ name: 'taken' })), 409, 'GUARD_EXISTS');
    for (const url of ['http://10.0.0.1/', 'http://example.com/', 'https://localhost/', 'http://[::1]/']) {
      expectFailure(await admin.post(GUARDS, fields({ url })), 422, 'GUARD_URL_FORBIDDEN');
    }
    expect(faultOf(await admin.post(GUARDS, fields({ url: undefined })))).toBe('url: required');
    expect(faultOf(await admin.post(GUARDS, fields({ groups: [999_999] })))).toBe('groups.0: not_offered');
    expect(faultOf(await admin.post(GUARDS, fields({ agents: [999_999] })))).toBe('agents.0: not_offered');
    expect(faultOf(await admin.post(GUARDS, fields({ rules: ['email'] })))).toBe('rules: not_allowed');
    const builtin = { kind: 'builtin', url: undefined };
    expect(faultOf(await admin.post(GUARDS, fields(builtin)))).toBe('rules: required');
    const path = `${GUARDS}/${guard.id}`;
    const other = `${server.url.replace('127.0.0.1', 'localhost')}`;
    expect(faultOf(await admin.put(path, { url: server.url.replace(/:\d+/, ':1') }))).toBe('secret: required');
    expectFailure(await admin.put(path, { url: other }), 422, 'GUARD_URL_FORBIDDEN');
    expect(faultOf(await admin.put(`${GUARDS}/order`, { ids: [] }))).toBe('ids: required');
  });

  it('are at most 20', async () => {
    for (let count = 0; count < 20; count++) {
      await add();
    }
    expectFailure(await admin.post(GUARDS, fields()), 409, 'GUARD_LIMIT');
  });

  it('are read by keys with admin:read, and changed only with an access token', async () => {
    const guard = await add();
    const { key } = await makeKey(app, admin.account.token, { scopes: ['admin:read', 'admin:write'] });
    const request = (path: string, options: object = {}) =>
      call(`${app.url}${GUARDS}${path}`, { token: key, ...options });
    expect((await request('')).status).toBe(200);
    expect((await request(`/${guard.id}`)).status).toBe(200);
    for (const [path, method] of [
      ['', 'POST'],
      ['/order', 'PUT'],
      [`/${guard.id}`, 'PUT'],
      [`/${guard.id}`, 'DELETE'],
      [`/${guard.id}/test`, 'POST'],
    ] as const) {
      expectFailure(await request(path, { method, body: {} }), 403, 'SCOPE_REQUIRED');
    }
  });

  it('are tested with a text: findings in code points, and the masked text', async () => {
    const guard = await add({ mode: 'mask', headers: { 'X-Api-Key': 'a-key' } });
    server.findsEach('Ada', 'PERSON');
    const test = (text: string) => admin.post(`${GUARDS}/${guard.id}/test`, { text, stage: 'output' });
    expect((await test('😀 Ada meets Ada')).body.data).toEqual({
      action: 'mask',
      spans: [
        { start: 2, end: 5, type: 'PERSON' },
        { start: 12, end: 15, type: 'PERSON' },
      ],
      masked: '😀 [PERSON_1] meets [PERSON_1]',
      reason: null,
      duration_ms: expect.any(Number),
      error: null,
    });
    const [sent] = server.calls;
    expect(sent?.body).toEqual({
      ...{
        version: 1,
        stage: 'output',
        part: 'text',
        mode: 'mask',
        text: '😀 Ada meets Ada',
        language: null,
      },
      ...{ agent: null, groups: [], user: expect.stringMatching(/^u_[0-9a-f]{16}$/), chat_id: null, message_id: null },
      ...{ offset: 0, final: true },
    });
    expect(sent?.headers).toMatchObject({ 'x-api-key': 'a-key', 'content-type': 'application/json' });
    expect(verify({ text: sent?.text ?? '', headers: sent?.headers ?? {} } as never, guard.secret ?? '')).toBeTruthy();
  });

  it.each<[string, string, (response: ServerResponse) => object | undefined]>([
    [
      'a span outside the text',
      'invalid_answer',
      () => ({ action: 'mask', spans: [{ start: 0, end: 99, type: 'A' }] }),
    ],
    ['an empty span', 'invalid_answer', () => ({ action: 'mask', spans: [{ start: 1, end: 1, type: 'A' }] })],
    ['a type in lower case', 'invalid_answer', () => ({ action: 'mask', spans: [{ start: 0, end: 1, type: 'a' }] })],
    ['a mask without spans', 'invalid_answer', () => ({ action: 'mask', spans: [] })],
    ['an unknown action', 'invalid_answer', () => ({ action: 'rewrite' })],
    ['a negative cost', 'invalid_answer', () => ({ action: 'allow', cost: '-1' })],
    ['a list', 'invalid_answer', () => []],
    [
      'something that is not JSON',
      'invalid_answer',
      (response) => {
        response.end('<html>');
        return undefined;
      },
    ],
    [
      '10 MB',
      'too_large',
      (response) => {
        response.end(Buffer.alloc(10_485_760, ' '));
        return undefined;
      },
    ],
    [
      'a redirect',
      'invalid_answer',
      (response) => {
        response.writeHead(302, { location: 'https://example.com/' }).end();
        return undefined;
      },
    ],
    [
      'an error',
      'status',
      (response) => {
        response.writeHead(500).end('{"action":"allow"}');
        return undefined;
      },
    ],
    ['nothing', 'timeout', () => undefined],
    [
      'one byte at a time',
      'timeout',
      (response) => {
        const timer = setInterval(() => response.write(' '), 20);
        response.once('close', () => clearInterval(timer));
        return undefined;
      },
    ],
  ])('cannot decide if the service returns %s', async (_what, error, script) => {
    const guard = await add({ timeout_ms: 150 });
    server.script = (_call, response) => script(response);
    const answer = await admin.post(`${GUARDS}/${guard.id}/test`, { text: 'Hello', stage: 'input' });
    expect(answer.body.data).toMatchObject({ action: 'block', error, spans: [], masked: 'Hello' });
    expect(server.calls).toHaveLength(1);
  });

  it('are called again once after a broken connection', async () => {
    const guard = await add();
    server.script = (_call, response) => {
      if (server.calls.length > 1) return { action: 'allow' };
      response.destroy();
      return undefined;
    };
    const answer = await admin.post(`${GUARDS}/${guard.id}/test`, { text: 'Hello', stage: 'input' });
    expect([answer.body.data, server.calls.length]).toEqual([expect.objectContaining({ error: null }), 2]);
    server.script = (_call, response) => void response.destroy();
    const failed = await admin.post(`${GUARDS}/${guard.id}/test`, { text: 'Hello', stage: 'input' });
    expect([failed.body.data, server.calls.length]).toEqual([expect.objectContaining({ error: 'unreachable' }), 4]);
  });

  it('get a long text in pieces that overlap by their window', async () => {
    const guard = await add({ mode: 'mask', window: 10 });
    server.findsEach('needle', 'NEEDLE');
    const text = `${'x'.repeat(99_995)}needle`;
    const { data } = (
      await admin.post<{ spans: object[] }>(`${GUARDS}/${guard.id}/test`, { text: text.slice(1), stage: 'input' })
    ).body;
    expect(data.spans).toHaveLength(1);
    const builtin = await add({
      kind: 'builtin',
      url: undefined,
      rules: [{ type: 'X', pattern: '(x+)+y' }],
      mode: 'block',
    });
    const slow = await admin.post(`${GUARDS}/${builtin.id}/test`, { text: 'x'.repeat(40), stage: 'input' });
    expect(slow.body.data).toMatchObject({ error: 'timeout' });
    const fine = await admin.post(`${GUARDS}/${builtin.id}/test`, { text: 'an xy', stage: 'input' });
    expect(fine.body.data).toMatchObject({ error: null, masked: 'an [X_1]', action: 'block' });
  });
});
