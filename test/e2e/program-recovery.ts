import type { AgentDto } from '../../src/modules/agent/agent.api';
import type { KeyDayDto } from '../../src/modules/api-key/own/key-usage.dto';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import type { ChatCompletionDto } from '../../src/modules/openai/completions/completion.dto';
import type { QuotaDto } from '../../src/modules/usage/quota/quota.dto';
import { makeKey } from '../support/api-keys';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { ReplyStream } from '../support/chat-stream';
import { management, rounds } from '../support/compactions';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import type { ModelServer } from '../support/model-server/model-server';
import { ResponsesClient, textOf } from '../support/open-responses/responses-client';

/** A chat completion that is cut by a crash, where this yields. @param client calls the running process */
export async function* completionStory(model: ModelServer, client: () => ChatClient): AsyncGenerator<void, void> {
  const content = uniqueContent();
  await model.script({ key: content, steps: [{ text: 'x'.repeat(5_000) }, { hold: content }] });
  const { body: agents } = await client().request<AgentDto[]>('/chat/agents/active');
  const body = { model: agents[0]?.name, stream: true, messages: [{ role: 'user', content }] };
  const { url, token } = client();
  const stream = await ReplyStream.open(`${new URL(url).origin}/openai/v1/chat/completions`, { token, body });
  await stream.until('xxx');
  const quota = async () => (await client().request<QuotaDto>('/user/quota')).body;
  const { messages, tokens } = await quota();
  expect([messages.used, tokens.used]).toEqual([1, 0]);
  yield;
  await expect(stream.rest()).rejects.toThrow();
  const used = await eventually(async () => (await quota()).tokens.used || undefined);
  expect(used).toBeGreaterThan(20);
  expect((await client().request('/chat')).body).toEqual([]);
  expect((await client().request('/chat/trash')).body).toEqual([]);
}

/**
 * A completion and a message with a key for repetitions, which a crash cuts before any text is stored: only the replies
 * are generated again.
 */
export async function* repeatedStory(model: ModelServer, client: () => ChatClient): AsyncGenerator<void, void> {
  const content = uniqueContent();
  await model.script({ key: content, steps: [{ text: 'seen' }, { stall: true }], times: 2 });
  await model.script({ key: content, steps: [{ text: 'Whole.' }] });
  const { body: agents } = await client().request<AgentDto[]>('/chat/agents/active');
  const chat = await client().createChat();
  const messages = [{ role: 'user', content }];
  const complete = () => {
    const { url, token } = client();
    const headers = { 'idempotency-key': 'completion' };
    return call<ChatCompletionDto>(`${new URL(url).origin}/openai/v1/chat/completions`, {
      token,
      body: { model: agents[0]?.name, messages },
      headers,
    });
  };
  const keyed = { headers: { 'idempotency-key': 'message' } };
  const send = () => client().send(chat.id, content, keyed);
  const cut = [complete(), send()].map((answer) => answer.catch(() => undefined));
  await model.waitFor('received', { key: content, count: 2 });
  yield;
  await Promise.all(cut);
  const completions = await Promise.all([complete(), complete()]);
  expect(completions.map(({ status, body }) => [status, body.choices[0]?.message.content])).toEqual([
    [200, 'Whole.'],
    [200, 'Whole.'],
  ]);
  const [stream, answer] = await Promise.all([client().stream(chat.id, content, keyed), send()]);
  expect(await stream.plain()).toMatchObject({ text: 'Whole.', trailer: { status: 'completed' } });
  expect(answer.body[1]).toMatchObject({ status: 'completed', content: 'Whole.' });
  const { messages: stored } = await client().read(chat.id);
  expect(stored.map(({ role, status }) => [role, status])).toEqual([
    ['user', 'completed'],
    ['assistant', 'completed'],
  ]);
  const { messages: versions } = await client().read(chat.id, '?branches=all');
  expect(versions.map(({ status }) => status)).toEqual(['completed', 'interrupted', 'completed']);
  expect((await client().request<QuotaDto>('/user/quota')).body.messages.used).toBe(2);
  const told = await model.requests(content);
  expect(told).toHaveLength(4);
  expect(told[3]?.body.messages.filter(({ role }) => role !== 'system')).toEqual([{ role: 'user', content }]);
}

/**
 * An edited message with a key, whose reply a crash cuts after part of it is stored: there is only one edit, and it
 * counts once.
 */
export async function* editedStory(model: ModelServer, client: () => ChatClient): AsyncGenerator<void, void> {
  const content = uniqueContent();
  const flushed = 'x'.repeat(5_000);
  await model.script({ key: content, steps: [{ text: flushed }, { stall: true }], times: 1 });
  await model.script({ key: content, steps: [{ text: 'Whole.' }] });
  const chat = await client().createChat();
  const [first] = (await client().send(chat.id, uniqueContent())).body;
  const edit = (stream: boolean) =>
    client().request<MessageDto[]>(`/chat/${chat.id}/messages/${first.id}?stream=${stream}`, {
      method: 'PUT',
      body: { content },
      headers: { 'idempotency-key': 'edit' },
    });
  const cut = edit(true).catch(() => undefined);
  await eventually(async () => (await client().read(chat.id)).messages[1]?.content === flushed);
  const used = async () => (await client().request<QuotaDto>('/user/quota')).body.messages.used;
  expect(await used()).toBe(2);
  yield;
  await cut;
  const { body: answer } = await edit(false);
  expect(answer.map(({ content: text }) => text)).toEqual([content, 'Whole.']);
  const { messages } = await client().read(chat.id);
  expect(messages.map(({ id }) => id)).toEqual(answer.map(({ id }) => id));
  const { messages: versions } = await client().read(chat.id, '?branches=all');
  expect(versions.filter((message) => message.content === content)).toHaveLength(1);
  expect(await used()).toBe(2);
}

/** Turns that end with the output of a function, with a key: after a crash they are in the conversation once. */
export async function* turnsStory(model: ModelServer, client: () => ChatClient): AsyncGenerator<void, void> {
  const key = uniqueContent();
  await model.script({ key, steps: [{ text: 'x'.repeat(5_000) }, { stall: true }], times: 1 });
  await model.script({ key, steps: [{ text: 'Whole.' }] });
  const { body: agents } = await client().request<AgentDto[]>('/chat/agents/active');
  const program = () => new ResponsesClient(new URL(client().url).origin, client().token, agents[0]?.name ?? '');
  const { body: conversation } = await program().request<{ id: string }>('/conversations', { body: {} });
  const input = [
    { role: 'user', content: key },
    { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'Nothing.' },
  ];
  const tools = [{ type: 'function', name: 'look', parameters: {} }];
  const ask = () =>
    program().post({ conversation: conversation.id, input, tools, background: true }, { 'idempotency-key': 'turns' });
  const { body: cut } = await ask();
  await eventually(async () => (await program().get(cut.id)).output.length > 0);
  yield;
  const { body: again } = await ask();
  const whole = await eventually(async () => {
    const found = await program().get(again.id);
    return found.status === 'completed' ? found : undefined;
  });
  expect(textOf(whole)).toBe('Whole.');
  const items = await program().items(`/conversations/${conversation.id}/items?order=asc`);
  expect(items.data.map(({ type }) => type)).toEqual(['message', 'function_call', 'function_call_output', 'message']);
  expect((await program().items(`/responses/${again.id}/input_items`)).data).toHaveLength(3);
  expect((await client().request<QuotaDto>('/user/quota')).body.messages.used).toBe(1);
  const [before, after] = await model.requests(key);
  expect(after?.body.messages).toEqual(before?.body.messages);
}

/** A message sent with an API key, whose reply a crash cuts. */
export async function* keyStory(model: ModelServer, client: () => ChatClient): AsyncGenerator<void, void> {
  const content = uniqueContent();
  await model.script({ key: content, steps: [{ text: 'seen' }, { stall: true }] });
  const chat = await client().createChat();
  const { url, token } = client();
  const { id, key } = await makeKey({ url }, token, { scopes: ['chat:write'] });
  const stream = await new ChatClient(url, key).stream(chat.id, content);
  await stream.until('seen');
  yield;
  await expect(stream.rest()).rejects.toThrow();
  const { token_usage } = await client().waitForEnd(chat.id);
  const { body: days } = await client().request<KeyDayDto[]>(`/user/api-keys/${id}/usage`);
  expect(days.at(-1)).toMatchObject({ messages: 2, tokens: token_usage?.total_tokens });
}

/** A response whose conversation was compacted before it, and that a crash cuts before its first token. */
export async function* compactionStory(model: ModelServer, client: () => ChatClient): AsyncGenerator<void, void> {
  const key = uniqueContent('long');
  const usage = { prompt_tokens: 900, completion_tokens: 100 };
  await model.script({ key, times: 1, steps: [{ text: 'In short.' }], usage });
  await model.script({ key, steps: [{ hold: key }] });
  const { body: agents } = await client().request<AgentDto[]>('/chat/agents/active');
  const program = () => new ResponsesClient(new URL(client().url).origin, client().token, agents[0]?.name ?? '');
  const input = [...rounds(key), { role: 'user', content: `${key}: now?` }];
  const { id, conversation } = await program().create({ input, background: true, context_management: management(1) });
  const chatId = Number(conversation?.id.slice('conv_'.length));
  await eventually(async () => {
    const reply = (await client().read(chatId)).messages.at(-1);
    return reply?.status === 'streaming' && reply.token_usage === null && reply.parts !== null;
  });
  yield;
  const response = await eventually(async () => {
    const found = await program().get(id);
    return found.status === 'failed' ? found : undefined;
  });
  expect(response.output).toEqual([expect.objectContaining({ type: 'compaction' })]);
  expect(response.usage).toMatchObject({ input_tokens: 900, output_tokens: 100 });
  expect((await client().request<QuotaDto>('/user/quota')).body.tokens.used).toBe(1_000);
}

/**
 * A stored response in the background with a key for repetitions, which a crash cuts: it stays cut, and the repetition
 * runs.
 */
export async function* responseStory(model: ModelServer, client: () => ChatClient): AsyncGenerator<void, void> {
  const input = uniqueContent();
  await model.script({ key: input, steps: [{ text: 'seen' }, { stall: true }], times: 1 });
  await model.script({ key: input, steps: [{ text: 'Whole.' }] });
  const { body: agents } = await client().request<AgentDto[]>('/chat/agents/active');
  const program = () => new ResponsesClient(new URL(client().url).origin, client().token, agents[0]?.name ?? '');
  const ask = async () => {
    const { status, body } = await program().post({ input, background: true }, { 'idempotency-key': 'response' });
    expect(status).toBe(200);
    return body.id;
  };
  const cut = await ask();
  await model.waitFor('received', { key: input });
  expect(await ask()).toBe(cut);
  yield;
  const again = await ask();
  expect(again).not.toBe(cut);
  const whole = await eventually(async () => {
    const found = await program().get(again);
    return found.status === 'completed' ? found : undefined;
  });
  expect(textOf(whole)).toBe('Whole.');
  expect(await ask()).toBe(again);
  expect((await program().get(cut)).status).toBe('failed');
  expect((await client().request<unknown[]>('/chat')).body).toHaveLength(1);
  expect(await model.requests(input)).toHaveLength(2);
}
