import { scriptedBlock, scriptedCall, scriptedEvents, scriptedStream, scriptedText } from '../support/anthropic-script';
import { uniqueContent } from '../support/chat-client';
import { useKnowing } from '../support/knowing';
import { MessageCaller } from '../support/message-caller';
import { createProvider } from './provider-requests';

const user = (content: unknown) => ({ role: 'user', content });

describe('agents with documents, in the Anthropic API', () => {
  const { app, admin, createReader, searching } = useKnowing();

  it('search them, without marks or calls in the message', async () => {
    const { client, agent } = await createReader();
    const caller = new MessageCaller(app.origin, client.token);
    const key = await searching(['Open the settings[[ci', 'te:1]].']);
    const { body } = await caller.create({ model: agent.name, messages: [user(key)] });
    expect(body.content.map(({ text }) => text)).toEqual(['Let me see. ', 'Open the settings.']);
    const [, second] = await app.model.requests(key);
    expect(JSON.stringify(second?.body.messages)).toContain('handbook.pdf');
  });

  it('do the same on an Anthropic provider, streamed and whole', async () => {
    const { name: provider } = await createProvider(app, admin, {
      kind: 'anthropic',
      base_url: app.model.anthropicUrl,
    });
    const { client, agent } = await createReader({ provider, model: 'claude-real' });
    const caller = new MessageCaller(app.origin, client.token);
    const texts = ['Open the settings[[ci', 'te:1]]. [[x'].map((text) => ({ type: 'text_delta', text }));
    const key = uniqueContent();
    const call = scriptedCall(1, 'toolu_1', 'search_knowledge', { queries: ['reset password'] });
    for (let times = 0; times < 2; times++) {
      const first = scriptedEvents([...scriptedText(0, 'I see.'), ...call], 'tool_use');
      await app.model.script({ key, times: 1, ...scriptedStream(first) });
      const last = scriptedEvents(scriptedBlock(0, { type: 'text', text: '' }, ...texts), 'end_turn');
      await app.model.script({ key, times: 1, ...scriptedStream(last) });
    }
    const { events } = await caller.stream({ model: agent.name, messages: [user(key)] });
    expect(events.map(({ delta }) => (delta as { text?: string } | undefined)?.text ?? '').join('')).toBe(
      'I see.Open the settings. [[x',
    );
    const { body } = await caller.create({ model: agent.name, messages: [user(key)] });
    expect(body.content.map(({ text }) => text)).toEqual(['I see.', 'Open the settings. [[x']);
  });

  it('do not search for a name that refers to a model only', async () => {
    const { client } = await createReader({ is_default: true });
    const { name: provider } = await createProvider(app, admin);
    const models = [{ id: 'plain', provider, model: 'scripted' }];
    expect((await admin.put('/admin/anthropic_models', { models })).status).toBe(200);
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ text: 'Hello.' }] });
    await new MessageCaller(app.origin, client.token).create({ model: 'plain', messages: [user(key)] });
    const [request] = await app.model.requests(key);
    expect(request?.body).not.toHaveProperty('tools');
  });
});
