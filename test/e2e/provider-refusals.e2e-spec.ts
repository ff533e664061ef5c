import { randomUUID } from 'node:crypto';
import { Database } from '../../src/database/database';
import { LanguageModels } from '../../src/integrations/llm/language-models';
import { ModelFactEntity } from '../../src/integrations/llm/providers/model-fact.entity';
import { type ChatClient, replyFailure, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import type { ModelRefusal, ModelScript } from '../support/model-server/model-server';
import { CONTENT_REFUSALS } from '../support/model-server/refusals/content-refusals';
import { LENGTH_REFUSALS } from '../support/model-server/refusals/length-refusals';
import {
  AZURE_STREAM_OPTIONS,
  OPENAI_MAX_TOKENS,
  OPENAI_TEMPERATURE,
} from '../support/model-server/refusals/parameter-refusals';
import { TOOL_CALL_ONLY } from '../support/model-server/refusals/tool-calls';
import { useChatApp, useClient } from '../support/use-app';
import { agentRequests, createAgent } from './agent-requests';

describe('a provider that refuses like real ones', () => {
  const app = useChatApp();
  let admin: ChatClient;
  const client = useClient(app);

  beforeAll(async () => {
    admin = await app.newClient({ userType: 'admin' });
  });

  /** A conversation with its own agent, whose model is unknown yet. */
  async function chatWith(settings: object = {}): Promise<{ chatId: number; model: string }> {
    const model = randomUUID();
    const agent = await createAgent(agentRequests(app, admin.token), { model, ...settings });
    return { chatId: (await client.createChat({ agent_id: agent.id })).id, model };
  }

  /** Scripts the answer to all messages that contain the returned key. */
  async function scriptAll(script: Omit<ModelScript, 'key'>): Promise<string> {
    const key = randomUUID();
    await app.model.script({ key, steps: [{ text: 'fine' }], ...script });
    return key;
  }

  it('parameters is called without them, at the cost of one request for each and once', async () => {
    const refuses = [OPENAI_TEMPERATURE, OPENAI_MAX_TOKENS, AZURE_STREAM_OPTIONS];
    const key = await scriptAll({ refuses });
    const { chatId, model } = await chatWith({ model_params: { temperature: 0.7, max_tokens: 100, seed: 5 } });
    expect((await client.send(chatId, `first ${key}`)).body[1]).toMatchObject({ content: 'fine', status: 'completed' });
    expect(await app.model.requests(key)).toHaveLength(4);
    expect((await client.send(chatId, `second ${key}`)).body[1]).toMatchObject({ content: 'fine' });
    const requests = await app.model.requests(key);
    expect(requests).toHaveLength(5);
    expect(requests[4]?.body).toMatchObject({ max_completion_tokens: 100, seed: 5 });
    // It is stored after the reply, without delaying it.
    const facts = app.app.get(Database).repository(ModelFactEntity);
    await eventually(async () => (await facts.countBy({ model })) === 3);
  });

  it.each(Object.entries(CONTENT_REFUSALS).filter(([name]) => name !== 'Anthropic'))(
    'a text reports an error that the caller can fix (%s)',
    async (_provider, refuse) => {
      const { chatId } = await chatWith();
      const key = await scriptAll({ refuses: [refuse('')] });
      const answer = await client.request('/chat/message', { body: { chat_id: chatId, content: key } });
      replyFailure(answer, 422, 'CONTENT_REFUSED');
      const stored = (await client.read(chatId)).messages[1];
      expect(stored).toMatchObject({ status: 'failed', error: { code: 'CONTENT_REFUSED', retryable: false } });
    },
  );

  it.each(Object.entries(LENGTH_REFUSALS).filter(([name]) => name !== 'Anthropic'))(
    'long conversations is called with a shorter one, once (%s)',
    async (_provider, refuse) => {
      const { chatId, model } = await chatWith();
      const key = await scriptAll({ refuses: [refuse(3_500)], steps: [{ text: 'b'.repeat(800) }] });
      for (const word of ['first', 'second', 'third']) {
        expect((await client.send(chatId, `${word} ${'a '.repeat(400)} ${key}`)).status).toBe(200);
      }
      // Three messages, and the third of them twice.
      expect(await app.model.requests(key)).toHaveLength(4);
      expect(app.app.get(LanguageModels).contextTokens({ model })).toBeLessThan(2_000);
    },
  );

  it('a message that is too long alone reports it, and the chat continues', async () => {
    const { chatId } = await chatWith();
    const refuse = LENGTH_REFUSALS.OpenAI as (characters: number) => ModelRefusal;
    const key = await scriptAll({ refuses: [refuse(2_000)], times: 1 });
    const body = { chat_id: chatId, content: `${'long '.repeat(500)} ${key}` };
    const { details } = replyFailure(await client.request('/chat/message', { body }), 422, 'CONTEXT_TOO_LONG');
    expect(details).toMatchObject({ field: 'content', reason: 'too_long', tokens: 1_400, limit: 1_000 });
    expect((await client.send(chatId, 'short')).status).toBe(200);
  });

  it('because its model only calls a tool reports it, and not to retry', async () => {
    const { chatId } = await chatWith();
    const content = uniqueContent();
    await app.model.script({ key: content, times: 1, ...TOOL_CALL_ONLY.openai });
    const answer = await client.request('/chat/message', { body: { chat_id: chatId, content } });
    const { details, message } = replyFailure(answer, 502, 'PROVIDER_ERROR');
    expect(details).toMatchObject({ reason: 'tool_call' });
    expect(message).toMatch(/tool/);
    expect((await client.send(chatId, uniqueContent())).status).toBe(200);
  });

  it('permanently does not suggest a retry', async () => {
    const { chatId } = await chatWith();
    const content = uniqueContent();
    const body = JSON.stringify({ error: { message: 'The model `x` does not exist', code: 'model_not_found' } });
    await app.model.script({ key: content, status: 404, body });
    const answer = await client.request('/chat/message', { body: { chat_id: chatId, content } });
    const { message } = replyFailure(answer, 502, 'PROVIDER_ERROR');
    expect(message).toBe('The AI model cannot answer with its current settings. Contact an administrator.');
    const [, reply] = (await client.read(chatId)).messages;
    expect(reply?.error).toMatchObject({ retryable: false, message });
    expect(await app.model.requests(content)).toHaveLength(1);
  });

  it('keeps reasoning out of the text', async () => {
    const { chatId } = await chatWith();
    const content = uniqueContent();
    const steps = [{ reasoning: 'Hm. ' }, { text: '<think>So' }, { text: '.</think>\n\nYes' }];
    await app.model.script({ key: content, steps });
    expect((await client.send(chatId, content)).body[1].content).toBe('Yes');
  });
});
