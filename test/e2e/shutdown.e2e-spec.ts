// @databases mariadb: two instances share one database
import { once } from 'node:events';
import { connect } from 'node:net';
import { Database } from '../../src/database/database';
import { DatabaseUnavailableError } from '../../src/database/database.errors';
import { PersonalDataRegistry } from '../../src/modules/user/personal-data/personal-data-registry';
import { createAdmin, createUser, PASSWORD } from '../support/accounts';
import { startChatApp } from '../support/chat-app';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance, startTestApp } from '../support/test-app';

describe('a service that is asked to stop', () => {
  it('reports it immediately while it erases an account, and leaves the rest of the erasure to the next process', async () => {
    const app = await startTestApp({ ACCOUNT_ERASE_DAYS: '0' });
    const [closing, other] = [await createUser(app), await createUser(app)];
    const admin = await createAdmin(app);
    await call(`${app.url}/agents`, { token: admin.token, body: { name: 'Guide' } });
    const [first, second] = app.app.get(PersonalDataRegistry).sources;
    let release: (() => void) | undefined;
    jest.spyOn(first!, 'erase').mockImplementation(() => new Promise((resolve) => (release = resolve)));
    const next = jest.spyOn(second!, 'erase');
    const body = { password: PASSWORD };
    await call(`${app.url}/user/account`, { method: 'DELETE', token: closing.token, body });
    await eventually(() => release !== undefined);

    const stopped = app.close();
    const readiness = await eventually(async () => {
      const answer = await call(`${app.origin}/health/ready`);
      return answer.status === 200 ? undefined : answer;
    }, 30);
    expectFailure(readiness, 503, 'SERVICE_UNAVAILABLE');
    const sent = await call(`${app.url}/chat/message`, { token: other.token, body: { chat_id: 1, content: 'Hello' } });
    expectFailure(sent, 503, 'SERVICE_UNAVAILABLE');
    const { token } = other;
    expectFailure(await call(`${app.url}/chat`, { token, body: {} }), 503, 'SERVICE_UNAVAILABLE');
    const conversations = `${app.origin}/openai/v1/conversations`;
    expect((await call(conversations, { token, body: {} })).status).toBe(503);
    const agents = { token: admin.token, body: { agents: [{ name: 'Late' }] } };
    expectFailure(await call(`${app.url}/agents/import`, agents), 503, 'SERVICE_UNAVAILABLE');
    // A file is not fetched first: from this address that would be 400.
    const items = [{ role: 'user', content: [{ type: 'input_file', file_url: 'http://127.0.0.1/a.pdf' }] }];
    expect((await call(conversations, { token, body: { items } })).status).toBe(503);
    const response = { token, body: { model: 'Guide', input: items } };
    expect((await call(`${app.origin}/openai/v1/responses`, response)).status).toBe(503);
    expect((await call(`${app.url}/chat`, { token })).body).toEqual([]);

    release?.();
    await stopped;
    expect(next).not.toHaveBeenCalled();
  });

  it('stops though a client has sent half of a request', async () => {
    const app = await startTestApp({ SHUTDOWN_GRACE_SECONDS: '0' });
    const { hostname, port } = new URL(app.origin);
    const client = connect(Number(port), hostname);
    client.write(`GET /health HTTP/1.1\r\nHost: ${hostname}\r\n`);
    await once(client, 'connect');
    await call(`${app.origin}/health`);
    await Promise.all([app.close(), once(client, 'close')]);
  });

  it('stops though the end of a reply cannot be stored, for which its reader waits', async () => {
    const app = await startChatApp({ SHUTDOWN_GRACE_SECONDS: '0' });
    const client = await app.newClient();
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Hello' }, { stall: true }] });
    const stream = await client.stream((await client.createChat()).id, content);
    await stream.until('Hello');
    const away = new DatabaseUnavailableError('away');
    jest.spyOn(app.app.get(Database), 'write').mockRejectedValue(away);
    await Promise.all([app.close(), expect(stream.until('__TOKEN_USAGE__')).rejects.toThrow()]);
  });
});

if (databaseEngine() !== 'sqlite') {
  describe('one of two instances that is asked to stop', () => {
    it("disconnects readers of the other one's replies", async () => {
      const app = await startChatApp({ SHUTDOWN_GRACE_SECONDS: '0' });
      const stopped = await startInstance(app.environment);
      const writer = await app.newClient();
      const chat = await writer.createChat();
      const content = uniqueContent();
      await app.model.script({ key: content, steps: [{ text: 'Hello' }, { hold: content }, { text: ' you' }] });
      const stream = await writer.stream(chat.id, content);
      const read = await new ChatClient(stopped.url, writer.token).join(chat.id);
      await read.until('Hello');
      await Promise.all([stopped.app.close(), expect(read.rest()).rejects.toThrow()]);
      await app.model.release(content);
      expect(await stream.plain()).toMatchObject({ text: 'Hello you', trailer: { status: 'completed' } });
      await app.close();
    });
  });
}
