import { Lifecycle } from '../../src/common/lifecycle';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import type { ModelScript } from '../support/model-server/model-server';
import { OPENAI_MAX_TOKENS } from '../support/model-server/refusals/parameter-refusals';
import { TOOL_CALL_ONLY } from '../support/model-server/refusals/tool-calls';
import { useChatApp, useClient } from '../support/use-app';

describe('with a title model', () => {
  const app = useChatApp({ TITLE_MODEL: 'small-model' });

  describe('titles from a model', () => {
    const client = useClient(app);

    /** The title request contains the conversation, so its key starts with the role. */
    async function scriptTitle(content: string, title: string): Promise<void> {
      await app.model.script({ key: `User: ${content}`, steps: [{ hold: `title ${content}` }, { text: title }] });
    }

    async function waitForTitle(chatId: number, title: string): Promise<void> {
      await eventually(async () => (await client.read(chatId)).title === title);
    }

    it('are created after the reply, delay no request, and cost the user nothing', async () => {
      const content = uniqueContent();
      await scriptTitle(content, '“Baking bread at home”');
      const chat = await client.createChat();
      const { trailer } = await (await client.stream(chat.id, content)).plain();
      expect(trailer).not.toHaveProperty('title');
      expect((await client.read(chat.id)).title).toBe('New chat');
      await app.model.release(`title ${content}`);
      await waitForTitle(chat.id, 'Baking bread at home');
      const [request] = await app.model.requests(`User: ${content}`);
      expect(request?.body.model).toBe('small-model');
      expect((await client.request('/user/total-stats')).body).toMatchObject({ total_messages: 2, total_tokens: 16 });
    });

    it.each([
      ['JSON', '{"title": "The \\"best\\" bread"}'],
      ['Markdown', '**Title: The "best" bread**'],
      ['thoughts of which the end is marked', 'They want bread.\n</think>\n\n# The "best" bread'],
    ])('are extracted from %s, and keep inner quotation marks', async (_what, answer) => {
      const content = uniqueContent();
      await scriptTitle(content, answer);
      await app.model.release(`title ${content}`);
      const chat = await client.createChat();
      await client.send(chat.id, content);
      await waitForTitle(chat.id, 'The "best" bread');
    });

    it('never replace a title that the user has set in the meantime', async () => {
      const content = uniqueContent();
      await scriptTitle(content, 'Too late');
      const chat = await client.createChat();
      await client.send(chat.id, content);
      await client.request(`/chat/${chat.id}`, { method: 'PUT', body: { title: 'Mine' } });
      await app.model.release(`title ${content}`);
      await app.model.waitFor('completed', { key: `User: ${content}` });
      await client.send(chat.id, uniqueContent());
      expect((await client.read(chat.id)).title).toBe('Mine');
    });

    it.each([' \n ', '\u200b\u3164'])(
      'are the user’s first words if the model returns nothing usable',
      async (answer) => {
        const content = uniqueContent('Fallback');
        await scriptTitle(content, answer);
        await app.model.release(`title ${content}`);
        const chat = await client.createChat();
        await client.send(chat.id, content);
        await waitForTitle(chat.id, content);
      },
    );
  });

  describe('titles from a model that fails', () => {
    it.each<[string, Omit<ModelScript, 'key'>]>([
      ['is refused', { status: 400, body: '{}' }],
      ['drops the connection', { cut: true }],
      ['only thinks', { steps: [{ reasoning: 'A title about bread …' }], finish: 'length' }],
      ['only calls a tool', TOOL_CALL_ONLY.openai],
      ['has its answer filtered', { finish: 'content_filter' }],
    ])('are the user’s first words: it %s', async (_case, script) => {
      const client = await app.newClient();
      const content = uniqueContent('Bread');
      await app.model.script({ key: `User: ${content}`, ...script });
      const chat = await client.createChat();
      await client.send(chat.id, content);
      await eventually(async () => (await client.read(chat.id)).title === content);
    });

    it('come from a model that uses another name for the limit, without its reasoning', async () => {
      const client = await app.newClient();
      const content = uniqueContent();
      const steps = [{ text: '<think>They want bread.</think>\n\n' }, { text: 'Baking bread' }];
      await app.model.script({ key: `User: ${content}`, refuses: [OPENAI_MAX_TOKENS], steps });
      const chat = await client.createChat();
      await client.send(chat.id, content);
      await eventually(async () => (await client.read(chat.id)).title === 'Baking bread');
      expect((await app.model.requests(`User: ${content}`)).at(-1)?.body).toMatchObject({
        max_completion_tokens: 1_000,
      });
    });
  });

  // Last, because an instance that is shutting down is useless to other tests.
  describe('titles from a model during shutdown', () => {
    it('are the user’s first words', async () => {
      const client = await app.newClient();
      const content = uniqueContent('Leaving');
      await app.model.script({ key: `User: ${content}`, hang: true });
      const chat = await client.createChat();
      await client.send(chat.id, content);
      await app.model.waitFor('received', { key: `User: ${content}` });
      await app.app.get(Lifecycle).drain();
      expect((await client.read(chat.id)).title).toBe(content);
    });
  });
});

describe('titles without a model', () => {
  const app = useChatApp();
  const client = useClient(app);

  it('come from the first exchange, once', async () => {
    const chat = await client.createChat();
    await client.send(chat.id, `How do I bake bread? ${uniqueContent()}`);
    const first = (await client.read(chat.id)).title;
    expect(first).toMatch(/^How do I bake bread\?/);
    await client.send(chat.id, uniqueContent('Another'));
    expect((await client.read(chat.id)).title).toBe(first);
  });

  it('have no Markdown characters', async () => {
    const chat = await client.createChat();
    await client.send(chat.id, `## How do **I** bake \`bread\`?\n\n${uniqueContent()}`);
    expect((await client.read(chat.id)).title).toMatch(/^How do I bake bread\? message/);
  });

  it.each(['\u200b', '\u3164', ' \u2800\ufe0f'])('replace an invisible one (%j)', async (title) => {
    const chat = await client.createChat({ title });
    expect(chat.title).toBe('New chat');
    const renamed = await client.request(`/chat/${chat.id}`, { method: 'PUT', body: { title } });
    expect(renamed).toMatchObject({ status: 422, body: { error: { details: { field: 'title', reason: 'blank' } } } });
    await client.send(chat.id, uniqueContent('Seen'));
    expect((await client.read(chat.id)).title).toMatch(/^Seen/);
  });

  it('of the user are never replaced', async () => {
    const chat = await client.createChat({ title: 'Mine' });
    await client.send(chat.id, uniqueContent());
    expect((await client.read(chat.id)).title).toBe('Mine');
  });

  it('of the user take precedence over the running reply', async () => {
    const chat = await client.createChat();
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Hello' }, { hold: content }] });
    const stream = await client.stream(chat.id, content);
    await stream.until('Hello');
    await client.request(`/chat/${chat.id}`, { method: 'PUT', body: { title: 'Mine' } });
    await app.model.release(content);
    expect((await stream.plain()).trailer).not.toHaveProperty('title');
    expect((await client.read(chat.id)).title).toBe('Mine');
  });

  it('wait for a successful exchange', async () => {
    const chat = await client.createChat();
    const content = uniqueContent('Fails');
    await app.model.script({ key: content, times: 1, status: 400 });
    await client.send(chat.id, content);
    expect((await client.read(chat.id)).title).toBe('New chat');
    await client.send(chat.id, uniqueContent('Succeeds'));
    expect((await client.read(chat.id)).title).toMatch(/^Succeeds/);
  });
});
