// @databases sqlite: the stored form of secrets is the same on each engine
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '../../src/database/database';
import type { ApiKeyWithTextDto } from '../../src/modules/api-key/keys/api-key.dto';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { makeKey, mistyped } from '../support/api-keys';
import { eventually } from '../support/eventually';
import { type Answer, call, type CallOptions, sendRaw } from '../support/http';
import { createMigratedDatabase } from '../support/servers/migrated-database';
import { ServiceRun } from '../support/service-run';
import { startInstance, startTestApp } from '../support/test-app';

/** All output of the service to its log, its clients and its database during the life of a key. */
describe('the text of an API key', () => {
  let owner: TestAccount;
  let admin: TestAccount;
  let texts: string[];
  let answers: string;
  let output: string;
  let stored: string;

  beforeAll(async () => {
    const database = await createMigratedDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'api-key-secrecy-'));
    const app = await startTestApp({ DATABASE_URL: database.url });
    [owner, admin] = [await createUser(app), await createAdmin(app)];
    await app.close();
    const logged = { LOG_LEVEL: 'trace', LOG_FORMAT: 'json' };
    const service = new ServiceRun(folder, { ...app.environment, ...logged, RATE_LIMIT_NORMAL: '60' });
    await eventually(async () => service.origin() !== '' && (await fetch(`${service.origin()}/health/ready`)).ok);
    ({ texts, answers } = await useKey(service.origin(), owner, admin));
    service.signal('SIGTERM');
    await service.ended;
    output = service.output();
    const reader = await startInstance(app.environment);
    stored = await everythingIn(reader.app.get(Database));
    await reader.app.close();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  it('is in no line of the log, at any level', () => {
    // The test would find it: the log has the requests, and identifies the key by its id.
    expect(output).toMatch(/"path":"\/api\/v1\/chat".*"api_key_id":\d+/);
    expectNone(output);
  });

  it('is in no line of the log in any encoding, nor is a token', () => {
    expect(output).toMatch(/"path":"\/api\/v1\/nothing\/%/);
    const [, , jwtPayload = ''] = /^([^.]+)\.([^.]+)/.exec(owner.token) ?? [];
    const shown = decoded(output);
    expectNone(shown);
    const secrets = [jwtPayload, owner.refreshToken];
    expect(secrets.filter((secret) => secret === '' || shown.includes(secret.slice(0, 24)))).toEqual([]);
  });

  it('is in no answer except those that show it, including errors, audit, events and export', () => {
    expect(answers).toMatch(/API_KEY_INVALID[^]*SCOPE_REQUIRED[^]*RATE_LIMIT_EXCEEDED/);
    expect(answers).toContain('api_key.rotate');
    expectNone(answers);
  });

  it('is nowhere in the database', () => {
    expect(stored).toContain('Leaked');
    expect(stored).toContain('curl');
    expectNone(decoded(stored));
  });

  /** The middle of the texts; the start and the end are shown to identify a key. */
  function expectNone(where: string): void {
    expect(texts).toHaveLength(2);
    expect(texts.filter((text) => where.includes(text.slice(8, -4)))).toEqual([]);
  }
});

async function useKey(
  origin: string,
  owner: TestAccount,
  admin: TestAccount,
): Promise<{ texts: string[]; answers: string }> {
  const url = `${origin}/api/v1`;
  const answers: Answer[] = [];
  const ask = async <Body = unknown>(path: string, options: CallOptions = {}): Promise<Answer<Body>> => {
    const answer = await call<Body>(`${url}${path}`, options);
    answers.push(answer);
    return answer;
  };
  const { id, key } = await makeKey({ url }, owner.token, { name: 'Leaked', scopes: ['chat:read', 'chat:write'] });
  const { body: chat } = await ask<{ id: number }>('/chat', { token: key, body: {} });
  await ask('/chat/message', { token: key, body: { chat_id: chat.id, content: 'Hello' } });
  await ask('/chat/message?stream=true', { token: key, body: { chat_id: chat.id, content: 'Hello again' } });
  await ask('/chat', { token: mistyped(key) });
  await ask('/chat', { token: `${key}${key}` });
  await ask('/user/profile', { token: key });
  await ask('/nothing', { token: key });
  await ask('/chat', { token: key, method: 'PATCH' });
  await ask('/chat/message', { token: key, raw: '{', headers: { 'content-type': 'application/json' } });
  await ask('/chat', { token: key, headers: { accept: 'image/png' } });
  await ask('/chat?limit=many', { token: key });
  // Places where no key belongs.
  await ask(`/chat/${key}`, { token: owner.token });
  await ask(`/nothing/${key}?api_key=${key}`);
  const lost = { 'x-request-id': key, 'user-agent': `curl ${key}` };
  await ask('/admin/settings', { token: admin.token, method: 'PUT', body: { api_key_max_days: null }, headers: lost });
  for (const secret of [key, owner.token, owner.refreshToken]) {
    const once = [...secret].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('');
    const twice = once.replaceAll('%', '%25');
    const first = secret.replace(/^./, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
    for (const text of [secret, first, once, twice]) {
      await ask(`/nothing/${text}?token=${text}`);
      await ask(`/chat/${text}`, { token: owner.token });
    }
  }
  const agent = { 'user-agent': `curl ${key.replace('c', '%63')}` };
  await ask('/admin/settings', { token: admin.token, method: 'PUT', body: { api_key_max_days: null }, headers: agent });
  const broken = await sendRaw(
    origin,
    `GET /api/v1/chat HTTP/1.1\r\nAuthorization: Bearer ${key}\r\nbad header\r\n\r\n`,
  );
  const rotated = await call<ApiKeyWithTextDto>(`${url}/user/api-keys/${id}/rotate`, { token: owner.token, body: {} });
  await ask(`/user/api-keys/${id}`, { token: owner.token, method: 'PUT', body: { tokens_per_day: 1 } });
  await ask('/chat/message', { token: rotated.body.key, body: { chat_id: chat.id, content: 'Hello' } });
  await Promise.all(Array.from({ length: 60 }, () => ask('/chat', { token: rotated.body.key })));
  await ask(`/admin/api-keys/${id}`, { token: admin.token, method: 'DELETE' });
  await ask('/chat', { token: key });
  await ask('/admin/api-keys', { token: admin.token });
  await ask('/admin/audit_logs?size=100', { token: admin.token });
  await ask('/admin/stats/usage?group_by=api_key', { token: admin.token });
  await ask('/user/export', { token: admin.token });
  const shown = answers.map(({ headers, text }) => `${JSON.stringify([...headers])}${text}`);
  return { texts: [key, rotated.body.key], answers: [...shown, broken].join('\n') };
}

/** Without percent-encoding, however often it was applied. */
function decoded(text: string): string {
  const next = text.replace(/%([0-9a-f]{2})/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return next === text ? text : decoded(next);
}

async function everythingIn(database: Database): Promise<string> {
  const tables = database.manager.dataSource.entityMetadatas.map(({ tableName }) => tableName);
  const rows = await Promise.all(tables.map((table) => database.manager.query<object[]>(`SELECT * FROM ${table}`)));
  return JSON.stringify(rows);
}
