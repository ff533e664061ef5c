import { LlmConfig } from '../../src/integrations/llm/llm.config';
import { createAdmin, createUser } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { CompletionCaller } from '../support/completion-stream';
import { call } from '../support/http';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useClient, useOwnChatApp } from '../support/use-app';
import { agentRequests, createAgent } from './agent-requests';

const app = useOwnChatApp({ OPENAI_PASS_THROUGH: 'true' });

describe('a turn without a model', () => {
  const user = useClient(app);
  let client: ResponsesClient;

  beforeEach(() => {
    client = new ResponsesClient(app.origin, user.token, 'default/other/model');
  });

  /** The called model of the provider, and its system prompt. */
  async function asked(content: string, count = 1): Promise<{ model: string; prompt: string }> {
    const request = (await app.model.requests(content))[count - 1];
    const [first] = request?.body.messages ?? [];
    return { model: String(request?.body.model), prompt: first?.role === 'system' ? String(first.content) : '' };
  }

  /** A response that names no model. */
  async function follow(body: object): Promise<{ content: string; model: string }> {
    const content = uniqueContent('follow');
    const { status, text, body: response } = await client.post({ model: undefined, input: content, ...body });
    expect([status, status === 200 ? '' : text]).toEqual([200, '']);
    return { content, model: response.model };
  }

  const passed = { model: 'other/model', prompt: '' };

  it("continues with the provider's model of the previous response or conversation", async () => {
    const first = await client.create({ input: uniqueContent() });
    const next = await follow({ previous_response_id: first.id });
    expect([next.model, await asked(next.content)]).toEqual(['default/other/model', passed]);
    const last = await follow({ conversation: first.conversation });
    expect(await asked(last.content)).toEqual(passed);
  });

  it('does so in a conversation created empty, and after added items', async () => {
    const { body } = await client.request<{ id: string }>('/conversations', { body: {} });
    await client.create({ input: uniqueContent(), conversation: body.id });
    const next = await follow({ conversation: body.id });
    expect(await asked(next.content)).toEqual(passed);
    const items = [{ type: 'message', role: 'user', content: 'By the way.' }];
    expect((await client.request(`/conversations/${body.id}/items`, { body: { items } })).status).toBe(200);
    const last = await follow({ conversation: body.id });
    expect(await asked(last.content)).toEqual(passed);
  });

  it('does so repeatedly as a chat message, and when one is regenerated or edited', async () => {
    const first = await client.create({ input: uniqueContent() });
    const chatId = Number(first.conversation?.id.slice('conv_'.length));
    const [one, two, edited] = [uniqueContent('one'), uniqueContent('two'), uniqueContent('edited')];
    await user.send(chatId, one);
    const [message, reply] = (await user.send(chatId, two)).body;
    expect([await asked(one), await asked(two)]).toEqual([passed, passed]);
    await user.request(`/chat/${chatId}/messages/${reply.id}/regenerate`, { method: 'POST' });
    expect(await asked(two, 2)).toEqual(passed);
    await user.request(`/chat/${chatId}/messages/${message.id}`, { method: 'PUT', body: { content: edited } });
    expect(await asked(edited)).toEqual(passed);
    await app.model.script({ key: edited, steps: [{ text: 'Anew' }] });
    const last = await follow({ conversation: first.conversation });
    expect(await asked(last.content)).toEqual(passed);
  });

  it('continues with the agent of the previous response, separately on each branch', async () => {
    const agents = agentRequests(app, (await createAdmin(app)).token);
    const { name } = await createAgent(agents, { status: 'active', system_prompt: 'You are the second one.' });
    const first = await client.create({ input: uniqueContent(), model: 'General assistant' });
    const second = await client.create({ input: uniqueContent(), model: name, previous_response_id: first.id });
    const next = await follow({ previous_response_id: second.id });
    expect([next.model, (await asked(next.content)).prompt]).toEqual([name, 'You are the second one.']);
    const branch = await follow({ previous_response_id: first.id });
    expect((await asked(branch.content)).prompt).not.toContain('second');
    const chatId = Number(first.conversation?.id.slice('conv_'.length));
    const line = { method: 'PUT', body: { message_id: Number(second.id.slice('resp_'.length)) } };
    expect((await user.request(`/chat/${chatId}/line`, line)).status).toBe(200);
    const said = uniqueContent('said');
    await user.send(chatId, said);
    expect((await asked(said)).prompt).toBe('You are the second one.');
  });

  it('is refused if the model no longer exists; a chat message is then answered by its agent', async () => {
    const first = await client.create({ input: uniqueContent() });
    const chatId = Number(first.conversation?.id.slice('conv_'.length));
    const config = app.app.get(LlmConfig);
    config.OPENAI_PASS_THROUGH = false;
    try {
      const answer = await client.post({ model: undefined, input: 'On.', previous_response_id: first.id });
      expectOpenAiFailure(answer, 404, 'model_not_found', 'model');
      const said = uniqueContent('said');
      expect((await user.send(chatId, said)).status).toBe(200);
      expect((await asked(said)).model).toBe('scripted');
    } finally {
      config.OPENAI_PASS_THROUGH = true;
    }
  });
});

describe('the models of providers', () => {
  it('can be named if the operator allows it', async () => {
    const { token } = await createUser(app);
    const get = (model: string) => call(`${app.origin}/openai/v1/models/${encodeURIComponent(model)}`, { token });
    expect((await get('demo/any/model')).body).toMatchObject({ id: 'demo/any/model', object: 'model' });
    expectOpenAiFailure(await get('nobody/any'), 404, 'model_not_found', 'model');
    expectOpenAiFailure(await get('demo/'), 404, 'model_not_found', 'model');
  });
});

describe("a provider's model", () => {
  const client = useClient(app);

  it("is called by name if the operator allows it, without the default agent's instructions", async () => {
    const caller = new CompletionCaller(app.origin, client.token);
    const content = uniqueContent();
    const model = 'default/some/model';
    const answer = await caller.complete({ model, messages: [{ role: 'user', content }], temperature: 0.5 });
    expect(answer.body).toMatchObject({ model, choices: [{ finish_reason: 'stop' }] });
    const [request] = await app.model.requests(content);
    expect(request?.body).toMatchObject({
      model: 'some/model',
      temperature: 0.5,
      messages: [{ role: 'user', content }],
    });
  });
});
