// @databases sqlite: the stored form of secrets is the same on each engine
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUser, PASSWORD } from '../support/accounts';
import { BrowserClient } from '../support/browser-client';
import { eventually } from '../support/eventually';
import { call, sendRaw } from '../support/http';
import { createMigratedDatabase } from '../support/servers/migrated-database';
import { ServiceRun } from '../support/service-run';
import { startTestApp } from '../support/test-app';

/** Over https, browsers send the cookies of a session and of a device with every request. */
describe('the cookies of a browser', () => {
  it('are in no line of the log, at any level, and in no answer', async () => {
    const database = await createMigratedDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'cookie-secrecy-'));
    const app = await startTestApp({ DATABASE_URL: database.url, TRUST_PROXY: '1' });
    const { email } = await createUser(app);
    await app.close();
    const service = new ServiceRun(folder, { ...app.environment, LOG_LEVEL: 'trace', LOG_FORMAT: 'json' });
    await eventually(async () => service.origin() !== '' && (await fetch(`${service.origin()}/health/ready`)).ok);
    const encrypted = { 'x-forwarded-proto': 'https' };
    const browser = new BrowserClient(`${service.origin()}/api/v1`, encrypted);
    await browser.post('/auth/login', { email, password: PASSWORD, session: 'cookie' });
    const values = [browser.refreshToken, browser.device];
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
    expect([...browser.cookies.keys()]).toEqual(['__Host-refresh_token', '__Host-device']);
    let answers = '';
    for (const path of ['/', '/console', '/docs', '/health', '/nothing', '/api/v1/chat', '/api/v1/user/export', '/%']) {
      const { text, headers } = await call(`${service.origin()}${path}`, { headers: { ...encrypted, cookie } });
      answers += JSON.stringify([...headers]) + text;
    }
    for (const raw of ['{', JSON.stringify({ session: 'cookie', refresh_token: 'x'.repeat(20_000) })]) {
      const headers = { ...encrypted, cookie, 'content-type': 'application/json' };
      answers += (await call(`${service.origin()}/api/v1/auth/refresh_token`, { raw, headers })).text;
    }
    answers += await sendRaw(service.origin(), `GET /api/v1/chat HTTP/1.1\r\nCookie: ${cookie}\r\nbad header\r\n\r\n`);
    expect((await browser.post('/auth/refresh_token', { session: 'cookie' })).status).toBe(200);
    values.push(browser.refreshToken);
    service.signal('SIGTERM');
    await service.ended;
    // The test would find them: the log has the requests.
    expect(service.output()).toMatch(/"path":"\/api\/v1\/auth\/login"[^]*"path":"\/api\/v1\/auth\/refresh_token"/);
    expect(answers).toContain('INVALID_JSON');
    for (const value of values) {
      expect(value).toMatch(/^[\w-]{43,}$/);
      expect(service.output() + answers).not.toContain(value.slice(0, 20));
    }
    await database.drop();
    await rm(folder, { recursive: true });
  });
});
