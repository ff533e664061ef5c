// @databases mariadb: two instances share one database
import { ServiceUnavailableError } from '../../src/common/errors/common.errors';
import { Database } from '../../src/database/database';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import type { ActionDto } from '../../src/modules/chat/messages/action.dto';
import { ToolOffer } from '../../src/modules/generation/acting/tool-offer';
import { WaitingReplies } from '../../src/modules/generation/acting/waiting-replies';
import { ReplyStopper } from '../../src/modules/generation/cluster/reply-stopper';
import { UsageMeter } from '../../src/modules/generation/ending/cost-meter';
import { createUser, type TestAccount } from '../support/accounts';
import { useActing } from '../support/acting';
import { AdminClient } from '../support/admin-client';
import { modelEnvironment } from '../support/chat-app';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { CountingTools } from '../support/counting-tools';
import { eventually } from '../support/eventually';
import { type ModelServer, startModelServer } from '../support/model-server/model-server';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance, startTestApp, type TestApp } from '../support/test-app';

/** A promise with its resolver. */
function gate(): [Promise<void>, () => void] {
  let open = (): void => undefined;
  return [new Promise<void>((resolve) => (open = resolve)), () => open()];
}

describe('a reply that is about to wait for a person', () => {
  const acting = useActing();
  const { app, client, tools, chatWith, calling, saying, actionsOf } = acting;

  afterEach(() => jest.restoreAllMocks());

  /** Its end is being stored: it waits for the approval of each of these calls of `book`. */
  async function aboutToWait(...rooms: string[]) {
    const chatId = await chatWith([{ name: 'book' }]);
    const key = uniqueContent();
    await calling(key, ...[key, ...rooms].map((what): [string, unknown] => ['book', { what }]));
    await saying(key, 'Done.');
    const meter = app.app.get(UsageMeter);
    const ofReply = meter.ofReply.bind(meter);
    const [held, goOn] = gate();
    const [isThere, arrived] = gate();
    jest.spyOn(meter, 'ofReply').mockImplementation(async (reply, outcome) => {
      if (outcome.status === 'requires_action') {
        arrived();
        await held;
      }
      return ofReply(reply, outcome);
    });
    const sent = client.send(chatId, key);
    await isThere;
    return { chatId, key, sent, goOn };
  }

  /** Resolves once the service has finished the immediate part of the next stop. */
  async function stopHeard(): Promise<void> {
    const request = jest.spyOn(app.app.get(ReplyStopper), 'request');
    await eventually(() => request.mock.results[0]);
    await request.mock.results[0]?.value;
  }

  it('is stopped', async () => {
    const { chatId, goOn } = await aboutToWait();
    const heard = stopHeard();
    const stopping = client.stop(chatId);
    await heard;
    goOn();
    const { status, body } = await stopping;
    const { messages } = await client.read(chatId);
    expect({ status, body, message: messages.at(-1)?.status, open: await actionsOf(chatId) }).toMatchObject({
      status: 200,
      body: { message_id: messages.at(-1)?.id },
      message: 'stopped',
      open: [],
    });
  });

  it('makes a call that is approved just then, and waits for the others', async () => {
    const other = uniqueContent('room');
    const { chatId, key, sent, goOn } = await aboutToWait(other);
    const [, { id, arguments_hash }] = (await actionsOf(chatId)) as [ActionDto, ActionDto];
    const decided = acting.decide(chatId, id, { decision: 'approve', arguments_hash });
    await eventually(async () => (await actionsOf(chatId)).length === 1);
    goOn();
    const answers = await Promise.all([sent, decided]);
    expect(answers.map(({ body }) => body[1].status)).toEqual(['requires_action', 'requires_action']);
    expect([key, other].filter((what) => tools.booked.includes(what))).toEqual([key]);
  });

  it('makes no call that has not started by then', async () => {
    tools.hold();
    const chatId = await chatWith([{ name: 'book', policy: 'auto' }]);
    const key = uniqueContent();
    await calling(key, ...Array.from({ length: 9 }, (): [string, unknown] => ['book', { what: key }]));
    await client.stream(chatId, key);
    const ofReply = () => tools.booked.filter((what) => what === key);
    // Eight at once.
    await eventually(() => ofReply().length === 8);
    await client.stop(chatId);
    tools.open();
    const { status, parts } = await client.waitForEnd(chatId);
    const states = (parts ?? []).flatMap((part) => (part.type === 'tool_call' ? [part.state] : []));
    expect({ status, states }).toEqual({
      status: 'stopped',
      states: [...Array.from({ length: 8 }, () => 'unknown'), 'cancelled'],
    });
    expect(ofReply()).toHaveLength(8);
  });

  it('waits for no approval in the trash', async () => {
    const { chatId, sent, goOn } = await aboutToWait();
    await client.request(`/chat/${chatId}`, { method: 'DELETE' });
    goOn();
    await sent;
    await client.request(`/chat/${chatId}/restore`, { method: 'POST' });
    expect((await client.waitForEnd(chatId)).status).toBe('stopped');
    expect(await actionsOf(chatId)).toEqual([]);
  });

  it('waits for no approval after a restore, if it could not be stopped in the trash', async () => {
    const { chatId } = await acting.waiting();
    const ending = jest.spyOn(app.app.get(WaitingReplies), 'end').mockRejectedValueOnce(new ServiceUnavailableError());
    expect((await client.request(`/chat/${chatId}`, { method: 'DELETE' })).status).toBe(503);
    ending.mockRestore();
    expect((await client.request(`/chat/${chatId}/restore`, { method: 'POST' })).status).toBe(200);
    expect((await client.waitForEnd(chatId)).status).toBe('stopped');
    expect(await actionsOf(chatId)).toEqual([]);
  });

  it('is stopped as soon as the decision is made', async () => {
    const { chatId, action, reply, what } = await acting.waiting();
    const offer = app.app.get(ToolOffer);
    const of = offer.of.bind(offer);
    const [held, goOn] = gate();
    const [isThere, arrived] = gate();
    jest.spyOn(offer, 'of').mockImplementation(async (...given) => {
      arrived();
      await held;
      return of(...given);
    });
    const deciding = acting.decide(chatId, action.id, { decision: 'approve', arguments_hash: action.arguments_hash });
    await isThere;
    const heard = stopHeard();
    const stopping = client.stop(chatId);
    await heard;
    goOn();
    expect(await stopping).toMatchObject({ status: 200, body: { message_id: reply.id } });
    expect((await client.waitForEnd(chatId)).status).toBe('stopped');
    await deciding;
    expect(tools.booked).not.toContain(what);
  });
});

if (databaseEngine() !== 'sqlite') {
  describe('a reply on another instance', () => {
    let model: ModelServer;
    let app: TestApp;
    let second: Awaited<ReturnType<typeof startInstance>>;
    let tools: CountingTools;
    let here: ChatClient;
    let there: ChatClient;
    let agentId: number;
    let admin: AdminClient;
    let user: TestAccount['user'];

    beforeAll(async () => {
      model = await startModelServer();
      app = await startTestApp(modelEnvironment(model));
      second = await startInstance(app.environment);
      tools = CountingTools.in(app);
      CountingTools.in({ ...app, app: second.app });
      admin = await AdminClient.of(app);
      const uses = [{ name: 'note', policy: 'auto' }, { name: 'book' }];
      agentId = (await admin.post<{ id: number }>('/agents', { name: uniqueContent('agent'), tools: uses })).body.data
        .id;
    });

    beforeEach(async () => {
      const account = await createUser(app);
      const { token } = account;
      ({ user } = account);
      here = new ChatClient(app.url, token);
      there = new ChatClient(second.url, token);
    });

    afterAll(async () => {
      await second.app.close();
      await app.close();
      await model.close();
    });

    /** It calls a tool, and requests approval of another one. */
    async function calling() {
      tools.hold();
      const { id: chatId } = await here.createChat({ agent_id: agentId });
      const key = uniqueContent();
      const call = (name: string) => ({ toolCall: { id: 'same', name, arguments: JSON.stringify({ what: key }) } });
      await model.script({ key, times: 1, steps: [call('note'), call('book')] });
      await model.script({ key, steps: [{ text: 'Done.' }] });
      const before = tools.keys.length;
      const stream = await here.stream(chatId, key);
      await eventually(() => tools.keys.length > before);
      return { chatId, stream };
    }

    const stored = async (chatId: number) =>
      (await app.app.get(Database).repository(MessageEntity).findBy({ chatId })).find(
        ({ role }) => role === 'assistant',
      );

    const ended = (chatId: number) => eventually(async () => (await stored(chatId))?.status !== 'streaming');

    it('that starts to wait is still stopped', async () => {
      const { chatId } = await calling();
      const stopping = there.stop(chatId);
      await eventually(async () => (await stored(chatId))?.stopRequestedAt);
      tools.open();
      const { status, body } = await stopping;
      const last = await here.waitForEnd(chatId);
      expect({ status, body, last: last.status }).toMatchObject({
        status: 200,
        body: { message_id: last.id },
        last: 'stopped',
      });
    });

    it('that starts to wait in the trash waits for no approval there', async () => {
      const { chatId } = await calling();
      await there.request(`/chat/${chatId}`, { method: 'DELETE' });
      tools.open();
      await ended(chatId);
      await there.request(`/chat/${chatId}/restore`, { method: 'POST' });
      expect((await here.waitForEnd(chatId)).status).toBe('stopped');
      expect((await here.request(`/chat/${chatId}/actions`)).body).toEqual([]);
    });

    it('that starts to wait when its user is banned waits for no approval', async () => {
      const { chatId } = await calling();
      const beside = new AdminClient(second, admin.account);
      expect((await beside.post(`/admin/users/${user.id}/ban`, { reason: 'Sends spam.' })).status).toBe(200);
      tools.open();
      await ended(chatId);
      await app.app.get(WaitingReplies).endWithoutAccess();
      await beside.post(`/admin/users/${user.id}/unban`);
      expect((await here.waitForEnd(chatId)).status).toBe('stopped');
      expect((await here.request(`/chat/${chatId}/actions`)).body).toEqual([]);
    });
  });
}
