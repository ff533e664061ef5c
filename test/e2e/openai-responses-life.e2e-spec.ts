import { Database } from '../../src/database/database';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { ResponseEntity } from '../../src/modules/openai/responses/response.entity';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import type { ModelScript } from '../support/model-server/model-server';
import { checkResponse } from '../support/open-responses/check';
import { lastResponse, ResponsesClient, textOf } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useChatApp, useClient } from '../support/use-app';

/** Where one of the models waits. */
const GATE = uniqueContent('gate');

describe('the life of a response', () => {
  const app = useChatApp({ CONCURRENT_NORMAL: '10', QUOTA_FREE_MESSAGES: '1000' });
  const user = useClient(app);
  let client: ResponsesClient;

  beforeEach(() => {
    client = new ResponsesClient(app.origin, user.token, 'General assistant');
  });

  async function scripted(script: Omit<ModelScript, 'key'>): Promise<string> {
    const key = uniqueContent('life');
    await app.model.script({ key, ...script });
    return key;
  }

  /** Closes the connection of a stream after its first events. */
  async function readAndLeave(body: object): Promise<string> {
    const leaving = new AbortController();
    const response = await fetch(`${app.origin}/openai/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${user.token}` },
      body: JSON.stringify({ model: client.model, stream: true, ...body }),
      signal: leaving.signal,
    });
    const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    const { value } = await reader.read();
    leaving.abort();
    return new TextDecoder().decode(value);
  }

  const notFound = async (path: string, method = 'GET', as = client) =>
    expectOpenAiFailure(await as.request(path, { method }), 404, 'RESPONSE_NOT_FOUND', 'response_id');

  it('in the background continues without its client, is read while it runs, and is found at its end', async () => {
    const input = await scripted({ steps: [{ text: 'Hello ' }, { hold: 'bg' }, { text: 'there.' }] });
    const begun = await client.create({ input, background: true });
    expect(begun).toMatchObject({ status: expect.stringMatching(/queued|in_progress/), background: true, usage: null });
    await eventually(async () => textOf(await client.get(begun.id)) === 'Hello ');
    expect(await client.get(begun.id)).toMatchObject({ status: 'in_progress', output: [{ status: 'in_progress' }] });
    await app.model.release('bg');
    await eventually(async () => (await client.get(begun.id)).status === 'completed');
    expect(textOf(await client.get(begun.id))).toBe('Hello there.');
  });

  it('in the background is cancelled permanently', async () => {
    const input = await scripted({ steps: [{ text: 'Hello ' }, { stall: true }] });
    const { id } = await client.create({ input, background: true });
    await eventually(async () => textOf(await client.get(id)) === 'Hello ');
    const cancel = () => client.request<object>(`/responses/${id}/cancel`, { method: 'POST' });
    const { status, body } = await cancel();
    expect(status).toBe(200);
    expect(checkResponse(body)).toMatchObject({ status: 'cancelled', output: [{ status: 'incomplete' }] });
    expect((await cancel()).body).toEqual(body);
    expect(await client.get(id)).toEqual(body);
    expect(lastResponse(await client.join(id))).toEqual(body);
    await app.model.waitFor('aborted', { key: input });
  });

  it('in the foreground is not cancelled', async () => {
    const { id } = await client.create({ input: await scripted({ steps: [{ text: 'Hi' }] }) });
    const answer = await client.request(`/responses/${id}/cancel`, { method: 'POST' });
    expectOpenAiFailure(answer, 400, 'NOT_IN_BACKGROUND');
  });

  it('that fails before its first token is an error, and is stored as failed', async () => {
    const input = await scripted({ status: 400, body: '{"error":{"message":"no"}}' });
    const answer = await client.post({ input });
    expect(answer.status).toBe(502);
    const messages = app.app.get(Database).repository(MessageEntity);
    const question = await messages.findOneByOrFail({ content: input });
    const id = `resp_${(await messages.findOneByOrFail({ parentId: question.id })).id}`;
    const response = await client.get(id);
    expect(response).toMatchObject({ status: 'failed', output: [], error: { code: expect.any(String) } });
    expect((await client.join(id)).map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.failed',
    ]);
  });

  it('that fails in the middle ends its events with the failure', async () => {
    const input = await scripted({ steps: [{ text: 'Half a ' }, { cut: true }] });
    const response = lastResponse(await client.stream({ input }));
    expect(response).toMatchObject({ status: 'failed', output: [{ status: 'incomplete' }] });
    expect(await client.get(response.id)).toEqual(response);
  });

  it('that is truncated at its length limit reports it', async () => {
    const input = await scripted({ steps: [{ text: 'Long' }], finish: 'length' });
    const response = await client.create({ input, max_output_tokens: 5 });
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    const [request] = await app.model.requests(input);
    expect(request?.body).toMatchObject({ max_tokens: 5 });
  });

  it('without storage is not found, and stops when its reader disconnects', async () => {
    const whole = await client.create({ input: await scripted({ steps: [{ text: 'Hi' }] }), store: false });
    expect(whole).toMatchObject({ store: false, conversation: null, status: 'completed' });
    await notFound(`/responses/${whole.id}`);
    const input = await scripted({ steps: [{ text: 'Hello' }, { stall: true }] });
    await readAndLeave({ input, store: false });
    await app.model.waitFor('aborted', { key: input });
    expect((await user.request<unknown[]>('/chat')).body).toEqual([]);
  });

  it('with storage continues when its reader disconnects', async () => {
    const input = await scripted({ steps: [{ text: 'Hello ' }, { hold: GATE }, { text: 'again' }] });
    const [id = ''] = /resp_\d+/.exec(await readAndLeave({ input })) ?? [];
    await app.model.release(GATE);
    await eventually(async () => (await client.get(id)).status === 'completed');
    expect(textOf(await client.get(id))).toBe('Hello again');
  });

  it('continues another one; if that was already continued, it becomes a branch', async () => {
    const first = await client.create({ input: await scripted({ steps: [{ text: 'One' }] }) });
    const input = await scripted({ steps: [{ text: 'Two' }] });
    const second = await client.create({ input, previous_response_id: first.id });
    const branch = await scripted({ steps: [{ text: 'Other' }] });
    const third = await client.create({ input: branch, previous_response_id: first.id });
    expect([second.conversation, third.conversation]).toEqual([first.conversation, first.conversation]);
    const [request] = await app.model.requests(branch);
    const said = request?.body.messages.map(({ content }) => content) ?? [];
    expect(said.slice(-2)).toEqual(['One', branch]);
    expect(said).not.toContain('Two');
    expect(textOf(await client.get(second.id))).toBe('Two');
    const { data } = await client.items(`/responses/${third.id}/input_items`);
    expect(data).toMatchObject([{ role: 'user', content: [{ text: branch }] }]);
  });

  it('without storage continues one without adding to it', async () => {
    const start = await scripted({ steps: [{ text: 'One' }] });
    const first = await client.create({ input: start });
    const input = await scripted({ steps: [{ text: 'Two' }] });
    const second = await client.create({ input, previous_response_id: first.id, store: false });
    expect(textOf(second)).toBe('Two');
    const [request] = await app.model.requests(input);
    expect(request?.body.messages.map(({ content }) => content).slice(-3)).toEqual([start, 'One', input]);
    const { data } = await client.items(`/conversations/${first.conversation?.id}/items`);
    expect(data).toHaveLength(2);
    const later = await scripted({ steps: [{ text: 'Later' }] });
    await client.create({ input: later, previous_response_id: first.id });
    const aside = await scripted({ steps: [{ text: 'Aside' }] });
    await client.create({ input: aside, previous_response_id: first.id, store: false });
    const [told] = await app.model.requests(aside);
    expect(told?.body.messages.map(({ content }) => content).slice(-3)).toEqual([start, 'One', aside]);
  });

  it('is deleted, and its conversation with the last one', async () => {
    const first = await client.create({ input: await scripted({ steps: [{ text: 'One' }] }) });
    const input = await scripted({ steps: [{ text: 'Two' }] });
    const second = await client.create({ input, previous_response_id: first.id });
    const remove = (id: string) => client.request(`/responses/${id}`, { method: 'DELETE' });
    expect((await remove(first.id)).body).toEqual({ id: first.id, object: 'response', deleted: true });
    await notFound(`/responses/${first.id}`);
    expect(textOf(await client.get(second.id))).toBe('Two');
    expect((await user.request<unknown[]>('/chat')).body).toHaveLength(1);
    expect((await remove(second.id)).status).toBe(200);
    expect((await user.request<unknown[]>('/chat')).body).toEqual([]);
    await notFound(`/responses/${second.id}`, 'DELETE');
  });

  it('is deleted with its conversation, and its row with the message', async () => {
    const { id, conversation } = await client.create({ input: await scripted({ steps: [{ text: 'One' }] }) });
    const chatId = Number(conversation?.id.slice(5));
    await user.request(`/chat/${chatId}`, { method: 'DELETE' });
    await notFound(`/responses/${id}`);
    await user.request(`/chat/${chatId}/restore`, { method: 'POST' });
    expect((await client.get(id)).status).toBe('completed');
    await app.app.get(Database).write((manager) => manager.delete(MessageEntity, { chatId }));
    expect(await app.app.get(Database).repository(ResponseEntity).countBy({ chatId })).toBe(0);
  });

  it('is created once for one Idempotency-Key', async () => {
    const input = await scripted({ steps: [{ text: 'Once' }] });
    const key = { 'idempotency-key': uniqueContent('k').replace(' ', '-') };
    const first = await client.post({ input }, key);
    const again = await client.post({ input }, key);
    expect(again.body).toEqual(first.body);
    expect(await app.model.requests(input)).toHaveLength(1);
    const different = await client.post({ input: `${input}!` }, key);
    expectOpenAiFailure(different, 409, 'IDEMPOTENCY_CONFLICT');
    expect(different.headers.get('x-should-retry')).toBe('false');
  });

  it('accepts items by reference', async () => {
    const first = await client.create({ input: await scripted({ steps: [{ text: 'Lisbon.' }] }) });
    const input = await scripted({ steps: [{ text: 'Yes.' }] });
    const second = await client.create({
      input: [
        { role: 'user', content: 'Where?' },
        { type: 'item_reference', id: first.output[0]?.id },
        { role: 'user', content: input },
      ],
    });
    expect(textOf(second)).toBe('Yes.');
    const [request] = await app.model.requests(input);
    expect(request?.body.messages.slice(-3)).toEqual([
      { role: 'user', content: 'Where?' },
      { role: 'assistant', content: 'Lisbon.' },
      { role: 'user', content: input },
    ]);
  });
});
