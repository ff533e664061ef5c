import type { ResponseItem } from '../../src/modules/openai/responses/wire/response-item';
import type { ResponseResource } from '../../src/modules/openai/responses/wire/response-resource';
import { type ToolUse, useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';
import { lastResponse, ResponsesClient, textOf } from '../support/open-responses/responses-client';

type Approval = Extract<ResponseItem, { type: 'mcp_approval_request' }>;

const typesOf = ({ output }: Pick<ResponseResource, 'output'>): string[] => output.map(({ type }) => type);

const asksIn = ({ output }: Pick<ResponseResource, 'output'>): Approval[] =>
  output.filter((item) => item.type === 'mcp_approval_request');

const decide = (approval: Approval | undefined, approve = true, reason?: string) => ({
  type: 'mcp_approval_response',
  approval_request_id: approval?.id,
  approve,
  ...(reason !== undefined && { reason }),
});

describe('agents that call tools, in the Responses API', () => {
  const { app, client, tools, agentWith, calling, saying, actionsOf, decide: decideOtherwise } = useActing();

  async function callerOf(uses: ToolUse[], token = client.token): Promise<ResponsesClient> {
    return new ResponsesClient(app.origin, token, (await agentWith(uses)).name);
  }

  /** A response that requests approval of `book`. */
  async function asking(uses: ToolUse[] = [{ name: 'book' }], body: object = {}) {
    const caller = await callerOf(uses);
    const [key, what] = [uniqueContent(), uniqueContent('room')];
    await calling(key, ['book', { what }]);
    await saying(key, 'Done.');
    const first = await caller.create({ input: key, ...body });
    const [approval] = asksIn(first);
    const chatId = Number(first.conversation?.id.slice(5));
    return { caller, key, what, first, approval, chatId };
  }

  it('call tools that need no approval, and show each call', async () => {
    const caller = await callerOf([{ name: 'calculate' }]);
    const key = uniqueContent();
    await calling(key, ['calculate', { expression: '6 * 7' }]);
    await saying(key, 'It is 42.');
    const response = await caller.create({ input: key });
    expect(response).toMatchObject({ status: 'completed', tools: [] });
    expect(typesOf(response)).toEqual(['message', 'mcp_call', 'message']);
    const id = Number(response.id.slice(5));
    expect(response.output[1]).toEqual({
      type: 'mcp_call',
      id: `mcp_${id}_0`,
      status: 'completed',
      server_label: 'tool',
      name: 'calculate',
      arguments: '{"expression":"6 * 7"}',
      approval_request_id: null,
      output: '{"result":"42","exact":true}',
      error: null,
    });
    expect(await caller.get(response.id)).toEqual(response);
    const items = await caller.items(`/conversations/${response.conversation?.id}/items?order=asc`);
    expect(items.data.slice(1)).toEqual(response.output);
  });

  it('request approval, and continue as another response', async () => {
    const { caller, what, first, approval, chatId } = await asking();
    expect(first.status).toBe('completed');
    expect(approval).toMatchObject({ server_label: 'test', name: 'book', arguments: JSON.stringify({ what }) });
    expect(tools.booked).not.toContain(what);
    const next = await caller.create({
      previous_response_id: first.id,
      input: [decide(approval)],
      metadata: { a: 'b' },
    });
    expect(next).toMatchObject({
      id: `${first.id}_1`,
      status: 'completed',
      previous_response_id: first.id,
      metadata: { a: 'b' },
      conversation: first.conversation,
    });
    expect(typesOf(next)).toEqual(['mcp_call', 'message']);
    expect(next.output[0]).toMatchObject({ output: `Booked ${what}.`, approval_request_id: approval?.id });
    expect(textOf(next)).toBe('Done.');
    expect(tools.booked.filter((booked) => booked === what)).toHaveLength(1);
    expect([await caller.get(first.id), await caller.get(next.id)]).toEqual([first, next]);
    const again = await caller.create({ previous_response_id: first.id, input: [decide(approval)] });
    expect(again.id).toBe(next.id);
    const opposite = { previous_response_id: first.id, input: [decide(approval, false)] };
    const other = await caller.post<{ error: { code: string } }>(opposite);
    expect([other.status, other.body.error.code]).toEqual([409, 'ACTION_ALREADY_DECIDED']);
    const input = await caller.items(`/responses/${next.id}/input_items`);
    expect(input.data).toMatchObject([{ type: 'mcp_approval_response', approve: true }]);
    const items = await caller.items(`/conversations/conv_${chatId}/items?order=asc`);
    expect(items.data.map(({ type }) => type)).toEqual([
      'message',
      'message',
      'mcp_approval_request',
      'mcp_approval_response',
      'mcp_call',
      'message',
    ]);
    const used = (first.usage?.total_tokens ?? 0) + (next.usage?.total_tokens ?? 0);
    const { messages } = await client.read(chatId);
    expect(messages.at(-1)?.token_usage?.total_tokens).toBe(used);
  });

  it('inform the model of a denial and its reason', async () => {
    const { caller, key, what, first, approval } = await asking();
    const body = { conversation: first.conversation?.id, input: [decide(approval, false, 'Too dear.')] };
    const next = await caller.create(body);
    expect(next.output[0]).toMatchObject({ type: 'mcp_call', status: 'failed', output: null });
    expect(textOf(next)).toBe('Done.');
    expect(tools.booked).not.toContain(what);
    const [, last] = await app.model.requests(key);
    expect(JSON.stringify(last?.body.messages)).toContain('Too dear.');
  });

  it('send new content as events, which can be rejoined', async () => {
    const caller = await callerOf([{ name: 'book' }]);
    const [key, what] = [uniqueContent(), uniqueContent('room')];
    await calling(key, ['book', { what }]);
    await saying(key, 'Done.');
    const begun = await caller.stream({ input: key });
    const first = lastResponse(begun);
    expect(begun.map(({ type }) => type)).not.toContain('response.function_call_arguments.delta');
    const input = [decide(asksIn(first)[0])];
    const events = await caller.stream({ previous_response_id: first.id, input });
    expect(events.map(({ type }) => type).filter((type) => !type.includes('text') && !type.includes('part'))).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.mcp_call.in_progress',
      'response.mcp_call_arguments.delta',
      'response.mcp_call_arguments.done',
      'response.mcp_call.completed',
      'response.output_item.done',
      'response.output_item.added',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events[2]).toMatchObject({ output_index: 0, item: { type: 'mcp_call', status: 'in_progress' } });
    const { id } = lastResponse(events);
    expect(await caller.join(id, 3)).toEqual(events.slice(4));
    expect(await caller.join(first.id)).toEqual(begun);
    expect(await caller.get(id)).toEqual(lastResponse(events));
  });

  it('continue in the background', async () => {
    const { caller, first, approval } = await asking();
    const begun = await caller.create({ previous_response_id: first.id, input: [decide(approval)], background: true });
    expect(begun).toMatchObject({ id: `${first.id}_1`, background: true });
    const events = await caller.join(begun.id);
    expect(lastResponse(events)).toMatchObject({ status: 'completed', background: true });
    const cancelled = await caller.request<ResponseResource>(`/responses/${begun.id}/cancel`, { method: 'POST' });
    expect(cancelled.body).toEqual(lastResponse(events));
  });

  it('wait for the rest when only some is decided', async () => {
    const caller = await callerOf([{ name: 'book' }, { name: 'note' }]);
    const key = uniqueContent();
    await calling(key, ['book', { what: key }], ['note', { what: key }]);
    await saying(key, 'Done.');
    const first = await caller.create({ input: key });
    const [book, note] = asksIn(first);
    const second = await caller.create({ previous_response_id: first.id, input: [decide(book)] });
    expect(typesOf(second)).toEqual(['mcp_call']);
    const third = await caller.create({ previous_response_id: second.id, input: [decide(note, false)] });
    expect([third.id, typesOf(third)]).toEqual([`${first.id}_2`, ['mcp_call', 'message']]);
    expect(await caller.get(second.id)).toEqual(second);
    expect(await app.model.requests(key)).toHaveLength(2);
    const both = await callerOf([{ name: 'book' }, { name: 'note' }]);
    const other = uniqueContent();
    await calling(other, ['book', { what: other }], ['note', { what: other }]);
    await saying(other, 'Done.');
    const asked = await both.create({ input: other });
    const input = asksIn(asked).map((approval) => decide(approval));
    const done = await both.create({ previous_response_id: asked.id, input });
    expect(typesOf(done)).toEqual(['mcp_call', 'mcp_call', 'message']);
  });

  it('accept decisions from clients that store their conversations themselves', async () => {
    const { caller, key, what, first, approval } = await asking();
    const said = [{ role: 'user', content: key }, ...first.output, decide(approval)];
    const next = await caller.create({ input: said });
    expect([next.id, typesOf(next)]).toEqual([`${first.id}_1`, ['mcp_call', 'message']]);
    expect(tools.booked).toContain(what);
    const after = uniqueContent();
    await saying(after, 'Yes.');
    const last = await caller.create({ input: [...said, ...next.output, { role: 'user', content: after }] });
    expect(textOf(last)).toBe('Yes.');
  });

  it('create a response even if they are decided elsewhere', async () => {
    const { caller, first, chatId } = await asking();
    const [action] = await actionsOf(chatId);
    await decideOtherwise(chatId, action?.id ?? 0, { decision: 'approve', arguments_hash: action?.arguments_hash });
    expect(await caller.get(first.id)).toEqual(first);
    expect(typesOf(await caller.get(`${first.id}_1`))).toEqual(['mcp_call', 'message']);
  });

  it('are decided here even if they started as a message', async () => {
    const agent = await agentWith([{ name: 'book' }]);
    const caller = new ResponsesClient(app.origin, client.token, agent.name);
    const chatId = (await client.createChat({ agent_id: agent.id })).id;
    const key = uniqueContent();
    await calling(key, ['book', { what: key }]);
    await saying(key, 'Done.');
    const [, reply] = (await client.send(chatId, key)).body;
    const input = [{ type: 'mcp_approval_response', approval_request_id: `mcpr_${reply.id}_0`, approve: true }];
    const response = await caller.create({ conversation: `conv_${chatId}`, input });
    expect([response.id, typesOf(response)]).toEqual([`resp_${reply.id}_1`, ['mcp_call', 'message']]);
    expect(await caller.get(response.id)).toEqual(response);
  });

  it('decline pending calls when other text is sent', async () => {
    const { caller, what, first, chatId } = await asking();
    const key = uniqueContent();
    await saying(key, 'As you like.');
    const next = await caller.create({ previous_response_id: first.id, input: key });
    expect(textOf(next)).toBe('As you like.');
    // It was complete when it requested approval, and its message is when no approval is pending any more.
    expect(await caller.get(first.id)).toEqual({ ...first, completed_at: expect.any(Number) as number });
    expect(await actionsOf(chatId)).toEqual([]);
    const again = await asking();
    const items = [{ role: 'user', content: 'By the way.' }];
    const added = await caller.request(`/conversations/conv_${again.chatId}/items`, { body: { items } });
    expect(added.status).toBe(200);
    expect(await actionsOf(again.chatId)).toEqual([]);
    const late = await again.caller.post({ previous_response_id: again.first.id, input: [decide(again.approval)] });
    expect(late.status).toBe(409);
    expect(tools.booked.filter((booked) => booked === what || booked === again.what)).toEqual([]);
  });

  it('are deleted individually', async () => {
    const { caller, first, approval } = await asking();
    const next = await caller.create({ previous_response_id: first.id, input: [decide(approval)] });
    const remove = (id: string) => caller.request(`/responses/${id}`, { method: 'DELETE' });
    expect((await remove(next.id)).status).toBe(200);
    expect((await caller.request(`/responses/${next.id}`)).status).toBe(404);
    expect(await caller.get(first.id)).toEqual(first);
  });
});
