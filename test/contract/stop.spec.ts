import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelEnvironment } from '../support/chat-app';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { type ModelServer, startModelServer } from '../support/model-server/model-server';
import { ServiceRun } from '../support/service-run';

const ADMIN = { email: 'ada@example.com', password: 'correct horse battery staple' };

describe('the shutdown of the built service while a reply runs', () => {
  let folder: string;
  let model: ModelServer;
  let run: ServiceRun;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stop-'));
    model = await startModelServer();
    run = new ServiceRun(folder, {
      ...modelEnvironment(model),
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      SHUTDOWN_GRACE_SECONDS: '600',
    });
    await run.untilOutput('Account ');
  });

  afterAll(async () => {
    await run.kill();
    await model.close();
    await rm(folder, { recursive: true });
  });

  it('shows what Ctrl+C waits for, and stops immediately with the second one', async () => {
    const url = `${run.origin()}/api/v1`;
    const token = (await call<{ access_token: string }>(`${url}/auth/login`, { body: ADMIN })).body.access_token;
    const { id } = (await call<{ id: number }>(`${url}/chat`, { token, body: {} })).body;
    await model.script({ steps: [{ text: 'Hello' }, { stall: true }] });
    const reply = await fetch(`${url}/chat/message?stream=true`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ chat_id: id, content: 'Hello?' }),
    });
    await reply.body?.getReader().read();

    run.signal('SIGINT');
    await run.untilOutput('ends it at once');
    expect(run.output()).toContain('The service stops, and waits for a running reply (600 s at most).');
    let code: number | null | undefined;
    void run.ended.then((ended) => (code = ended));
    await eventually(() => {
      run.signal('SIGINT');
      return code !== undefined;
    });
    expect(code).toBe(130);
    expect(run.output()).toContain('The service ends at once.');
  });
});
