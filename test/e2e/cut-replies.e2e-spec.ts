// @databases mariadb: two instances share one database
import { Database } from '../../src/database/database';
import { findRows } from '../../src/database/statements/find';
import { updateRows } from '../../src/database/statements/update';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { InstanceHeartbeat } from '../../src/modules/generation/cluster/instance-heartbeat';
import { GenerationEntity } from '../../src/modules/generation/generation.entity';
import type { QuotaDto } from '../../src/modules/usage/quota/quota.dto';
import { createUser } from '../support/accounts';
import { modelEnvironment } from '../support/chat-app';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { ServiceProcess } from '../support/chat-process';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { type ModelServer, startModelServer } from '../support/model-server/model-server';
import { endOwnerLeases } from '../support/owner-leases';
import { databaseEngine } from '../support/servers/test-database';
import { startTestApp, type TestApp } from '../support/test-app';
import { useChatApp, useClient } from '../support/use-app';

const KEYED = { headers: { 'idempotency-key': 'asked-again' } };

/** An owner unknown to the service, whose replies are ended. */
const DEAD = { ownerId: 'an instance that is gone' };

describe('a key whose reply was cut by a shutdown', () => {
  const app = useChatApp();
  const client = useClient(app);

  it('is free again, also for another body, and its repetitions run once', async () => {
    const { id: chatId } = await client.createChat();
    const [, cut] = (await client.send(chatId, uniqueContent(), KEYED)).body;
    await app.app.get(Database).write((manager) => manager.update(MessageEntity, cut.id, { status: 'interrupted' }));
    const content = uniqueContent();
    const answers = await Promise.all(Array.from({ length: 5 }, () => client.send(chatId, content, KEYED)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await app.model.requests(content)).toHaveLength(1);
    const statuses = (await client.read(chatId)).messages.map(({ status }) => status);
    expect(statuses).toEqual(['completed', 'interrupted', 'completed', 'completed']);
  });

  it('counts its question once, however often a completion is cut', async () => {
    const { id: userId } = (await client.request<{ id: number }>('/users/me')).body;
    const { manager } = app.app.get(Database);
    const rows = () => findRows(manager, GenerationEntity, { userId, status: 'streaming' });
    const used = async () => (await client.request<QuotaDto>('/user/quota')).body.messages.used;
    const content = uniqueContent();
    const complete = () =>
      call(`${app.origin}/openai/v1/chat/completions`, {
        token: client.token,
        body: { model: 'General assistant', messages: [{ role: 'user', content }] },
        ...KEYED,
      });
    // The first one has text, so it keeps its question.
    await app.model.script({ key: content, times: 1, steps: [{ text: 'x'.repeat(5_000) }, { hold: content }] });
    await app.model.script({ key: content, times: 2, steps: [{ hold: content }] });
    await app.model.script({ key: content, steps: [{ text: 'Whole.' }] });
    const cut: Promise<unknown>[] = [];
    for (const hasText of [true, false, false]) {
      cut.push(complete());
      await eventually(async () => (await rows()).some((row) => (row.content !== '') === hasText));
      await app.model.waitFor('received', { key: content, count: cut.length });
      await app.app
        .get(Database)
        .write((writer) => updateRows(writer, GenerationEntity, DEAD, { userId, status: 'streaming' }));
      await eventually(async () => (await rows()).length === 0);
      expect(await used()).toBe(1);
    }
    expect((await complete()).status).toBe(200);
    expect(await used()).toBe(1);
    await app.model.release(content);
    await Promise.all(cut);
  });
});

if (databaseEngine() !== 'sqlite') {
  describe('an instance next to one that is killed', () => {
    let model: ModelServer;
    let app: TestApp;
    let killed: ServiceProcess;

    beforeAll(async () => {
      model = await startModelServer();
      app = await startTestApp(modelEnvironment(model));
      killed = await ServiceProcess.start(app.environment);
    });

    afterAll(async () => {
      await killed.end('SIGKILL');
      await app.close();
      await model.close();
    });

    it('runs a repeated request once, as soon as it knows that the other one is dead', async () => {
      const { token } = await createUser(app);
      const [here, there] = [new ChatClient(app.url, token), new ChatClient(killed.url, token)];
      const chat = await here.createChat();
      const content = uniqueContent();
      await model.script({ key: content, steps: [{ text: 'Hel' }, { stall: true }], times: 1 });
      await model.script({ key: content, steps: [{ text: 'Hello' }] });
      const cut = await there.stream(chat.id, content, KEYED);
      await cut.until('Hel');
      await killed.end('SIGKILL');
      await expect(cut.rest()).rejects.toThrow();
      const looks = jest.spyOn(app.app.get(InstanceHeartbeat), 'findLastHeartbeat');
      const stream = here.stream(chat.id, content, KEYED);
      const whole = here.send(chat.id, content, KEYED);
      await eventually(() => looks.mock.calls.length > 4);
      await endOwnerLeases(app.environment.DATABASE_URL ?? '');
      expect(await (await stream).plain()).toMatchObject({ text: 'Hello', trailer: { status: 'completed' } });
      expect((await whole).body[1]).toMatchObject({ status: 'completed', content: 'Hello' });
      expect(await model.requests(content)).toHaveLength(2);
    });
  });
}
