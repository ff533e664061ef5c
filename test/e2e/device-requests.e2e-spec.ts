// @databases mariadb: two instances share one database
import { createUser, type TestAccount } from '../support/accounts';
import { type ChatApp } from '../support/chat-app';
import { startChatApp } from '../support/chat-app';
import { uniqueContent } from '../support/chat-client';
import { chunksOf, type CompletionChunk } from '../support/completion-stream';
import { DeviceSignIn } from '../support/device-sign-in';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance, type TestApp } from '../support/test-app';

describe('the running requests of a command-line program', () => {
  let app: ChatApp;
  /** The instance that answers the program. A SQLite file has one. */
  let answering: Pick<TestApp, 'app' | 'url' | 'origin'>;
  let user: TestAccount;
  let token: string;

  beforeAll(async () => {
    app = await startChatApp();
    answering = databaseEngine() === 'sqlite' ? app : await startInstance(app.environment);
  });

  afterAll(async () => {
    if (answering !== app) await answering.app.close();
    await app.close();
  });

  beforeEach(async () => {
    user = await createUser(app);
    ({ access_token: token } = await new DeviceSignIn(app).signIn(user.token));
  });

  const endSessions = () => call(`${app.url}/user/sessions`, { token: user.token, method: 'DELETE' });
  const complete = (key: string, stream: boolean) =>
    fetch(`${answering.origin}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: '1', messages: [{ role: 'user', content: key }], stream }),
    });

  it('end with their session within five seconds, in mid-stream too', async () => {
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ text: 'Half' }, { stall: true }] });
    const response = await complete(key, true);
    expect(response.status).toBe(200);
    const text = response.text();
    const start = performance.now();
    await endSessions();
    const { chunks } = chunksOf(await text);
    expect(performance.now() - start).toBeLessThan(5_000);
    expect((chunks.at(-1) as CompletionChunk).error).toMatchObject({ code: 'SESSION_REVOKED' });
    await app.model.waitFor('aborted', { key });
  });

  it('are refused if nothing was sent yet', async () => {
    const key = uniqueContent();
    await app.model.script({ key, hang: true });
    const answer = complete(key, false);
    await app.model.waitFor('received', { key });
    await endSessions();
    const response = await answer;
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { code: 'SESSION_REVOKED' } });
    await app.model.waitFor('aborted', { key });
  });

  it('are refused by every instance within five seconds', async () => {
    const read = () => call(`${answering.origin}/openai/v1/models`, { token });
    expect((await read()).status).toBe(200);
    await endSessions();
    const start = performance.now();
    await eventually(async () => (await read()).status === 401);
    expect(performance.now() - start).toBeLessThan(5_500);
  });
});
