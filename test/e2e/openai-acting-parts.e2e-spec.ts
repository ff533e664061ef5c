import { Database } from '../../src/database/database';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { ContinuationEntity } from '../../src/modules/openai/responses/approval/continuation.entity';
import type { ResponseResource } from '../../src/modules/openai/responses/wire/response-resource';
import { useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { ResponsesClient, textOf } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';

describe('a reply that calls tools, as responses', () => {
  const { app, admin, client, tools, agentWith, calling, saying, actionsOf, decide } = useActing();

  afterEach(() => tools.open());

  const used = async (): Promise<number> =>
    (await client.request<{ storage: { used: number } }>('/user/quota')).body.storage.used;

  /** A response that has requested approval of a call, and the request that decides it. */
  async function asking() {
    const { name } = await agentWith([{ name: 'note', policy: 'ask' }]);
    const program = new ResponsesClient(app.origin, client.token, name);
    const key = uniqueContent();
    await calling(key, ['note', { what: key }]);
    await saying(key, 'Done.');
    const first = await program.create({ input: key, background: true });
    await eventually(async () => (await program.get(first.id)).status === 'completed');
    const approval_request_id = (await program.get(first.id)).output.at(-1)?.id;
    return { program, first, decision: { type: 'mcp_approval_response', approval_request_id, approve: true } };
  }

  it.each([
    ['cancelled', 'POST', '/cancel'],
    ['deleted', 'DELETE', ''],
  ])('is not stopped when the response before it is %s', async (_what, method, route) => {
    const { program, first, decision } = await asking();
    tools.hold();
    const before = tools.keys.length;
    const next = await program.create({ previous_response_id: first.id, input: [decision], background: true });
    await eventually(() => tools.keys.length > before);
    expect((await program.request(`/responses/${first.id}${route}`, { method })).status).toBe(200);
    tools.open();
    const ended = await eventually(async () => {
      const response = await program.get(next.id);
      return /queued|in_progress/.test(response.status) ? undefined : response;
    });
    expect([ended.status, textOf(ended)]).toEqual(['completed', 'Done.']);
  });

  it('continues as other responses, which are unchanged when the first one is deleted', async () => {
    const { name } = await agentWith([{ name: 'note', policy: 'ask' }, { name: 'book' }]);
    const program = new ResponsesClient(app.origin, client.token, name);
    const key = uniqueContent();
    await calling(key, ['note', { what: key }], ['book', { what: key }]);
    await saying(key, 'Done.');
    const first = await program.create({ input: key, metadata: { turn: 'first' }, instructions: 'Be brief.' });
    const asked = first.output.flatMap((item) => (item.type === 'mcp_approval_request' ? [item.id] : []));
    const [one] = asked.map((id) => [{ type: 'mcp_approval_response', approval_request_id: id, approve: true }]);
    const second = await program.create({ previous_response_id: first.id, input: one, metadata: { turn: 'second' } });
    const chatId = Number(first.conversation?.id.slice('conv_'.length));
    const [action] = await actionsOf(chatId);
    await decide(chatId, action?.id ?? 0, { decision: 'approve', arguments_hash: action?.arguments_hash });
    const third = await program.get(`${first.id}_2`);
    expect(third).toMatchObject({ metadata: { turn: 'first' }, instructions: 'Be brief.' });
    expect((await program.create({ previous_response_id: first.id, input: one })).id).toBe(second.id);
    await program.request(`/responses/${first.id}`, { method: 'DELETE' });
    expect((await program.request(`/responses/${first.id}`)).status).toBe(404);
    expect([await program.get(second.id), await program.get(third.id)]).toEqual([second, third]);
    expect((await program.items(`/conversations/${first.conversation?.id}/items`)).data).not.toEqual([]);
    const after = await program.create({ previous_response_id: third.id, input: uniqueContent() });
    expect(after.conversation).toEqual(first.conversation);
    for (const { id } of [second, third]) {
      await program.request(`/responses/${id}`, { method: 'DELETE' });
    }
    const kept = app.app.get(Database).repository(ContinuationEntity);
    const rows = await kept.findBy({ messageId: Number(first.id.slice('resp_'.length)) });
    expect(rows.map(({ settings, labels }) => [settings, labels])).toEqual([
      [{}, null],
      [{}, null],
    ]);
  });

  it('moves a conversation created for it to the trash with the last response, in any order of deletion', async () => {
    const left: number[] = [];
    for (const isReversed of [false, true]) {
      const { program, first, decision } = await asking();
      const before = await used();
      const next = await program.create({ previous_response_id: first.id, input: [decision] });
      const chat = `/chat/${first.conversation?.id.slice('conv_'.length)}`;
      const remove = async (id = ''): Promise<void> => {
        expect((await client.request(chat)).status).toBe(200);
        expect((await program.request(`/responses/${id}`, { method: 'DELETE' })).status).toBe(200);
        expect((await program.request(`/responses/${id}`)).status).toBe(404);
      };
      const [one, other] = isReversed ? [next.id, first.id] : [first.id, next.id];
      await remove(one);
      const after = await program.create({ previous_response_id: other, input: uniqueContent() });
      await remove(other);
      await remove(after.id);
      expect((await client.request(chat)).status).toBe(404);
      left.push((await used()) - before);
    }
    // The parameters of the original request no longer apply.
    expect(left[0]).toBeLessThan(0);
    expect(left[1]).toBe(left[0]);
  });

  it('continues as no response when all were deleted, until a client requests one', async () => {
    const uses = [{ name: 'note', policy: 'ask' }, { name: 'book' }, { name: 'rename', policy: 'ask' }];
    const { name } = await agentWith([...uses, { name: 'sign' }]);
    const program = new ResponsesClient(app.origin, client.token, name);
    const conversation = (await program.request<{ id: string }>('/conversations', { body: {} })).body.id;
    const key = uniqueContent();
    await calling(key, ...['note', 'book', 'rename', 'sign'].map((tool) => [tool, { what: key }] as [string, object]));
    await saying(key, 'Done.');
    const first = await program.create({ conversation, input: key });
    const asked = first.output.find(({ type }) => type === 'mcp_approval_request');
    const input = [{ type: 'mcp_approval_response', approval_request_id: asked?.id, approve: true }];
    const second = await program.create({ previous_response_id: first.id, input });
    for (const { id } of [second, first]) {
      expect((await program.request(`/responses/${id}`, { method: 'DELETE' })).status).toBe(200);
    }
    const chatId = Number(conversation.slice('conv_'.length));
    const action = (await actionsOf(chatId)).find(({ tool }) => tool === 'book');
    await decide(chatId, action?.id ?? 0, { decision: 'approve', arguments_hash: action?.arguments_hash });
    expect((await program.request(`/responses/${first.id}_2`)).status).toBe(404);
    const others = first.output.flatMap((item) => (item.type === 'mcp_approval_request' ? [item.id] : [])).slice(2);
    for (const approval_request_id of others) {
      const later = [{ type: 'mcp_approval_response', approval_request_id, approve: true }];
      const asked = await program.create({ conversation, input: later, metadata: { about: approval_request_id } });
      expect(await program.get(asked.id)).toEqual(asked);
      expect(asked).toMatchObject({ model: name, metadata: { about: approval_request_id } });
    }
    expect(await client.waitForEnd(chatId)).toMatchObject({ status: 'completed' });
  });

  it('accepts no decision after another response, nor additional text while another call waits', async () => {
    const { name } = await agentWith([{ name: 'note', policy: 'ask' }, { name: 'book' }]);
    const program = new ResponsesClient(app.origin, client.token, name);
    const [key, before] = [uniqueContent(), uniqueContent()];
    await saying(before, 'Yes.');
    await calling(key, ['note', { what: key }], ['book', { what: key }]);
    const first = await program.create({ input: before });
    const { id, output, conversation } = await program.create({ previous_response_id: first.id, input: key });
    const asked = output.find(({ type }) => type === 'mcp_approval_request');
    const decision = { type: 'mcp_approval_response', approval_request_id: asked?.id, approve: true };
    const behindAnother = await program.post({ previous_response_id: first.id, input: [decision] });
    expectOpenAiFailure(behindAnother, 400, 'invalid_value', 'input[0].approval_request_id');
    const besides = [decision, { role: 'user', content: uniqueContent() }];
    const tooEarly = await program.post({ previous_response_id: id, input: besides });
    expectOpenAiFailure(tooEarly, 400, 'invalid_value', 'input');
    expect(await actionsOf(Number(conversation?.id.slice('conv_'.length)))).toHaveLength(2);
  });

  it('counts its tool results towards the storage, until its conversation is erased', async () => {
    const { name } = await agentWith([{ name: 'huge' }]);
    const program = new ResponsesClient(app.origin, client.token, name);
    const conversation = (await program.request<{ id: string }>('/conversations', { body: {} })).body.id;
    const key = uniqueContent();
    await calling(key, ['huge', { what: key }]);
    await saying(key, 'Done.');
    const before = await used();
    const instructions = 'x'.repeat(10_000);
    const { id } = await program.create({ conversation, input: key, instructions });
    const kept = await used();
    expect(kept - before).toBeGreaterThan(1_000_000);
    // In any number of concurrent deletions, the repeated part is subtracted once.
    await Promise.all(Array.from({ length: 6 }, () => program.request(`/responses/${id}`, { method: 'DELETE' })));
    const left = await used();
    expect(kept - left).toBeGreaterThan(10_000);
    expect(kept - left).toBeLessThan(20_000);
    expect(left - before).toBeGreaterThan(1_000_000);
  });

  it('is followed by the additional text, in the named conversation', async () => {
    const { program, first, decision } = await asking();
    const after = uniqueContent();
    await saying(after, 'Yes.');
    const conversation = first.conversation?.id;
    const answer = await program.post<ResponseResource>({
      conversation,
      input: [decision, { role: 'user', content: after }],
    });
    expect([answer.status, textOf(answer.body)]).toEqual([200, 'Yes.']);
    expect(answer.body.conversation).toEqual({ id: conversation });
  });

  it("stores a person's text about a call, with any outcome", async () => {
    const agent = await agentWith([{ name: 'book' }]);
    const caller = new ResponsesClient(app.origin, client.token, agent.name);
    const key = uniqueContent();
    await calling(key, ['book', { what: key }]);
    await saying(key, 'It could not be done.');
    const first = await caller.create({ input: key });
    await admin.put(`/agents/${agent.id}`, { tools: [] });
    const decision = { type: 'mcp_approval_response', approval_request_id: first.output.at(-1)?.id, approve: true };
    const next = await caller.create({ previous_response_id: first.id, input: [decision] });
    expect(next.output[0]).toMatchObject({ type: 'mcp_call', status: 'failed' });
    const { data } = await caller.items(`/conversations/${first.conversation?.id}/items?order=asc`);
    expect(data[3]).toMatchObject(decision);
    const one = await caller.request(`/conversations/${first.conversation?.id}/items/${data[3]?.id}`);
    expect(one.body).toEqual(data[3]);
    // As when it requires more after the approval, which is not answered.
    const id = Number(first.id.slice('resp_'.length));
    await app.app.get(Database).write(async (manager) => {
      const { parts } = await manager.findOneByOrFail(MessageEntity, { id });
      const expired = parts?.map((part) => (part.type === 'tool_call' ? { ...part, state: 'expired' as const } : part));
      await manager.update(MessageEntity, { id }, { parts: expired });
    });
    expect((await caller.items(`/conversations/${first.conversation?.id}/items?order=asc`)).data[3]).toEqual(data[3]);
    const input = [
      { type: 'item_reference', id: data[3]?.id },
      { role: 'user', content: uniqueContent() },
    ];
    expect((await caller.post({ input })).status).toBe(200);
  });
});
