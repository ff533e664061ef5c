// @databases mariadb: two instances share one database
import { Database } from '../../src/database/database';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import type { ActionDto } from '../../src/modules/chat/messages/action.dto';
import { ToolActionEntity } from '../../src/modules/generation/actions/tool-action.entity';
import { resultsOf } from '../support/acting';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { useMcpCalls } from '../support/mcp/mcp-calls';
import { answer, beginSession, stream } from '../support/mcp/scripted-mcp-server';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance } from '../support/test-app';

const ROOM = { type: 'object', properties: { room: { type: 'string' } }, required: ['room'] };

describe('agents whose servers ask users during a call', () => {
  const { app, client, scripted, trusted, chatWith, actionOf, decide } = useMcpCalls();

  /** The server asks within the answer to a call, and ends it with the user's answer. */
  function ask(params: object): void {
    const open = new Map<unknown, (result: unknown) => void>();
    scripted.intercept = (request, response) => {
      if (isAnswer(request)) {
        response.writeHead(202).end();
        open.get(request.id)?.(request.result);
        return true;
      }
      if (request.method !== 'tools/call') return false;
      const send = stream(response);
      // A call that is abandoned and repeated has its own question.
      const id = `question ${open.size}`;
      open.set(id, (result) => {
        const { action = 'refused' } = (result ?? {}) as { action?: string };
        send({ id: request.id, result: { content: [{ type: 'text', text: `It was ${action}.` }] } });
        response.end();
      });
      send({ id, method: 'elicitation/create', params });
      return true;
    };
  }

  const isAnswer = ({ id, method }: { id?: unknown; method?: string }): boolean =>
    String(id).startsWith('question') && method === undefined;
  const answers = () => scripted.requests.filter(isAnswer);

  /** A stream whose call of `tool` asks during it. */
  async function open(query = 'stream=true&stream_format=sse', tool = 'book', fields: object = {}) {
    const { label } = await trusted({ elicitation: 'form_and_url', ...fields });
    const chatId = await chatWith({ name: `${label}__${tool}`, policy: 'auto' });
    const key = uniqueContent();
    const steps = [{ toolCall: { name: `${label}__${tool}`, arguments: '{"what":"x"}' } }];
    await app.model.script({ key, times: 1, steps });
    await app.model.script({ key, steps: [{ text: 'Done.' }] });
    return { chatId, key, reader: await client.stream(chatId, key, { query }) };
  }

  const opened = (chatId: number): Promise<ActionDto> => eventually(() => actionOf(chatId));

  const stored = (id: number) => app.app.get(Database).repository(ToolActionEntity).findOneByOrFail({ id });

  it('receive the question in the stream, and continue with the answer', async () => {
    ask({ message: 'Which room?', requestedSchema: ROOM });
    const { chatId, reader } = await open();
    await reader.until('action_required');
    const action = await opened(chatId);
    expect(action).toMatchObject({ kind: 'input', message: 'Which room?', schema: ROOM, approver: 'user' });
    const minutes = (Date.parse(action.expires_at ?? '') - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(4);
    expect(minutes).toBeLessThanOrEqual(5);
    const joined = await client.join(chatId, 'stream_format=sse');
    await joined.until('action_required');
    const body = { decision: 'approve', arguments_hash: action.arguments_hash, arguments: { room: 'blue' } };
    expect(resultsOf((await decide(chatId, action.id, body)).body[1])).toEqual(['It was accept.']);
    expect(answers()).toMatchObject([{ result: { action: 'accept', content: { room: 'blue' } } }]);
    const events = await reader.events();
    const kinds = events.map(({ event }) => event).filter((event) => event !== 'delta');
    expect(kinds).toEqual(['message_start', 'tool_call', 'action_required', 'tool_result', 'message_end']);
    expect(JSON.stringify(events)).not.toContain('blue');
    expect(await stored(action.id)).toMatchObject({ answer: null, state: 'decided' });
    expect((await decide(chatId, action.id, body)).status).toBe(200);
    const other = await decide(chatId, action.id, { ...body, arguments: { room: 'red' } });
    expect(other.status).toBe(409);
    joined.leave();
  });

  it('are asked outside the answers too, each in its own session', async () => {
    const streams = new Map<unknown, ReturnType<typeof stream>>();
    const ended: unknown[] = [];
    scripted.beside = ({ method, headers: { 'mcp-session-id': session } }, response) => {
      if (method === 'DELETE') ended.push(session);
      if (method === 'GET') streams.set(session, stream(response));
      else response.writeHead(200).end();
      return true;
    };
    const open = new Map<unknown, (given: unknown) => void>();
    let sessions = 0;
    scripted.intercept = (request, response, { headers: { 'mcp-session-id': session } }) => {
      const { id, method, params, result } = request;
      if (method === 'initialize') return beginSession(response, id, `s${++sessions}`);
      if (isAnswer(request)) {
        response.writeHead(202).end();
        open.get(session)?.(result);
      }
      if (method !== 'tools/call') return isAnswer(request);
      const what = String(params?.arguments?.what);
      open.set(session, (given) => {
        answer(response, id, { content: [{ type: 'text', text: `${what}: ${JSON.stringify(given)}` }] });
      });
      const question = { message: `A room for ${what}?`, requestedSchema: ROOM };
      streams.get(session)?.({ id: 'question', method: 'elicitation/create', params: question });
      return true;
    };
    const { label } = await trusted({ elicitation: 'form', trust_annotations: false });
    const name = `${label}__book`;
    const booked = await Promise.all(
      ['Ann', 'Bob'].map(async (what) => {
        const chatId = await chatWith({ name, policy: 'auto' });
        const key = uniqueContent();
        const toolCall = { name, arguments: JSON.stringify({ what }) };
        await app.model.script({ key, times: 1, steps: [{ toolCall }] });
        await app.model.script({ key, steps: [{ text: 'Done.' }] });
        const reader = await client.stream(chatId, key);
        const action = await opened(chatId);
        expect(action.message).toBe(`A room for ${what}?`);
        const values = { room: `of ${what}` };
        const body = { decision: 'approve', arguments_hash: action.arguments_hash, arguments: values };
        await decide(chatId, action.id, body);
        await reader.rest();
        return resultsOf(await client.waitForEnd(chatId));
      }),
    );
    const accepted = (what: string) => [`${what}: {"action":"accept","content":{"room":"of ${what}"}}`];
    expect(booked).toEqual([accepted('Ann'), accepted('Bob')]);
    expect(streams.size).toBe(2);
    await eventually(() => ended.length === 2);
    expect(ended.sort()).toEqual([...streams.keys()].sort());
  });

  it('announce only what their settings allow, and decline other questions', async () => {
    ask({ message: 'Which room?', requestedSchema: ROOM });
    const { chatId, reader } = await open('stream=true', 'look', { elicitation: 'off' });
    await reader.rest();
    expect(resultsOf(await client.waitForEnd(chatId))).toEqual(['It was decline.']);
    const [first] = scripted.requests.filter(({ method }) => method === 'initialize');
    expect(first?.params?.capabilities).toEqual({});
    expect((await client.request(`/chat/${chatId}/actions`)).body).toEqual([]);
  });

  it('decline hidden questions automatically', async () => {
    ask({
      message: 'Your password?',
      requestedSchema: { ...ROOM, properties: { room: { type: 'string', title: 'PIN' } } },
    });
    const { chatId, reader } = await open();
    await reader.rest();
    expect(resultsOf(await client.waitForEnd(chatId))).toEqual(['It was decline.']);
  });

  it('wait for five minutes, and not longer', async () => {
    ask({ message: 'Which room?', requestedSchema: ROOM });
    const { chatId, reader } = await open();
    const { id } = await opened(chatId);
    app.advanceClock(300_001);
    await reader.rest();
    expect(resultsOf(await client.waitForEnd(chatId))).toEqual(['It was cancel.']);
    expect(await stored(id)).toMatchObject({ state: 'expired' });
    expect((await decide(chatId, id, { decision: 'deny' })).status).toBe(410);
  });

  it('drop the question, and cancel the call, when the reply is stopped', async () => {
    ask({ message: 'Which room?', requestedSchema: ROOM });
    const { chatId, reader } = await open();
    const { id } = await opened(chatId);
    await client.stop(chatId);
    await reader.rest();
    await eventually(() => scripted.requests.some(({ method }) => method === 'notifications/cancelled'));
    expect(await client.waitForEnd(chatId)).toMatchObject({ status: 'stopped' });
    expect(await eventually(async () => (await stored(id)).state !== 'open')).toBe(true);
    expect(await stored(id)).toMatchObject({ state: 'cancelled' });
    expect(answers().filter(({ result }) => result !== undefined)).toEqual([]);
  });

  it.each([
    ['book', 1, 'unknown'],
    ['look', 2, 'input'],
  ])(
    'lose the question for %s with their instance, and ask a person or the server again',
    async (tool, calls, kind) => {
      ask({ message: 'Which room?', requestedSchema: ROOM });
      const { chatId, reader } = await open('stream=true', tool);
      const { id } = await opened(chatId);
      const messageId = Number(reader.header('x-message-id'));
      const abandoned = { ownerId: 'dead' };
      await app.app.get(Database).write((manager) => manager.update(MessageEntity, { id: messageId }, abandoned));
      const next = await eventually(async () => {
        const { body } = await client.request<ActionDto[]>(`/chat/${chatId}/actions`);
        return body.find((action) => action.id !== id);
      });
      expect(next.kind).toBe(kind);
      expect(scripted.calls()).toHaveLength(calls);
      expect(await stored(id)).toMatchObject({ state: 'cancelled' });
      await client.stop(chatId);
    },
  );

  if (databaseEngine() !== 'sqlite') {
    it('are answered on another instance', async () => {
      ask({ message: 'Which room?', requestedSchema: ROOM });
      const { chatId, reader } = await open();
      const { id, arguments_hash } = await opened(chatId);
      const other = await startInstance(app.environment);
      try {
        const there = new ChatClient(other.url, client.token);
        const body = { decision: 'approve', arguments_hash, arguments: { room: 'blue' } };
        expect(resultsOf((await decide(chatId, id, body, there)).body[1])).toEqual(['It was accept.']);
        await reader.rest();
      } finally {
        await other.app.close();
      }
    });
  }

  it("report a call's progress to readers, at most ten times a second", async () => {
    let finish: () => void = () => undefined;
    scripted.intercept = (request, response) => {
      if (request.method !== 'tools/call') return false;
      const send = stream(response);
      const progressToken = request.params?._meta?.progressToken;
      const tell = (progress: number, message?: string) =>
        send({ method: 'notifications/progress', params: { progressToken, progress, total: 50, message } });
      for (let step = 1; step <= 50; step++) tell(step, `Ste\u200bp ${step} ${'x'.repeat(300)}`);
      finish = () => {
        send({ id: request.id, result: { content: [] } });
        response.end();
      };
      return true;
    };
    const { chatId, reader } = await open();
    await reader.until('"progress":50');
    finish();
    const told = (await reader.events()).filter(({ event }) => event === 'tool_progress');
    expect(told.length).toBeLessThan(15);
    const last = told.at(-1)?.data as { id: string; message: string };
    expect(last).toMatchObject({ progress: 50, total: 50 });
    expect(last.id).toMatch(/^call_\d+_0$/);
    expect(last.message).toHaveLength(200);
    expect(last.message).toMatch(/^Step 50 x/);
    expect(JSON.stringify(await client.read(chatId))).not.toContain('Step 50');
  });
});
