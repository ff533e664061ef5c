// @databases mariadb mysql: own SQL over texts and rights
import { Database } from '../../src/database/database';
import { findRows } from '../../src/database/statements/find';
import { updateRows } from '../../src/database/statements/update';
import { ModelRegistry } from '../../src/integrations/llm/providers/model-registry';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { ToolCallEntity } from '../../src/modules/generation/actions/tool-call.entity';
import { KnowledgeStoreEntity } from '../../src/modules/knowledge/tables/knowledge-store.entity';
import { resultsOf } from '../support/acting';
import { uniqueContent } from '../support/chat-client';
import { expectFailure } from '../support/http';
import { addIndexedFile } from '../support/indexed-files';
import { PASSWORDS, type Reader, useKnowing } from '../support/knowing';

describe('agents that search documents', () => {
  const { app, createStore, createAgent, createReader, searching, ask } = useKnowing();

  const citationsOf = ({ citations }: MessageDto) => citations ?? [];

  const lastMessage = async ({ client, chatId }: Reader): Promise<MessageDto> =>
    (await client.read(chatId)).messages.at(-1) as MessageDto;

  const change = ({ store }: Reader, changes: Partial<KnowledgeStoreEntity>) =>
    app.app.get(Database).write((manager) => updateRows(manager, KnowledgeStoreEntity, changes, { id: store.id }));

  it('cite what they used, at its place in the text', async () => {
    const reader = await createReader();
    const key = await searching(['Open the settings [[ci', 'te:1]], then “Password”[[cite:1]]. [[cite:7]]', '[[x']);
    const reply = await ask(reader, key);
    const content = 'Let me see. Open the settings , then “Password”. [[x';
    const passage = {
      number: 1,
      file_id: reader.file.fileId,
      store_id: reader.store.id,
      filename: 'handbook.pdf',
      page: 12,
      start: 0,
      end: PASSWORDS.length,
      quote: PASSWORDS,
      score: expect.any(Number),
    };
    expect(reply).toMatchObject({ status: 'completed', content });
    expect(reply.citations).toEqual([
      { ...passage, index: content.indexOf(', then') },
      { ...passage, index: content.indexOf('. [[x') },
    ]);
    expect((await lastMessage(reader)).citations).toEqual(reply.citations);
    expect(JSON.stringify(reply.parts)).not.toContain('"passages"');
    const [first, second] = await app.model.requests(key);
    const description = expect.stringContaining(reader.store.name) as string;
    expect(first?.body.tools).toMatchObject([{ function: { name: 'search_knowledge', description } }]);
    expect(second?.body.messages.at(-1)?.content).toBe(
      '[[cite:1]] handbook.pdf, page 12, Accounts › Passwords\n' +
        'To reset your password, open the settings. Write [ [cite:1]] on paper.',
    );
  });

  it('send earlier passages again without marks, and do not turn their marks into citations', async () => {
    const reader = await createReader();
    await ask(reader, await searching(['Settings[[cite:1]].']));
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ text: 'As [[cite:1]] says.' }] });
    const reply = await ask(reader, key);
    expect([reply.content, reply.citations]).toEqual(['As [[cite:1]] says.', []]);
    const [request] = await app.model.requests(key);
    const results = request?.body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(results).toEqual([expect.stringMatching(/^handbook\.pdf, page 12/)]);
  });

  it('number a passage once, also if two searches find it', async () => {
    const reader = await createReader();
    const { storeId, fileId } = await addIndexedFile(app, {
      storeId: reader.store.id,
      ownerId: reader.userId,
      text: 'The password of the printer is on its back.',
      filename: 'printer.txt',
    });
    const key = uniqueContent();
    const toolCall = (query: string) => ({
      toolCall: { id: query, name: 'search_knowledge', arguments: JSON.stringify({ queries: [query] }) },
    });
    await app.model.script({ key, times: 1, steps: [toolCall('settings')] });
    await app.model.script({ key, times: 1, steps: [toolCall('password')] });
    await app.model.script({ key, steps: [{ text: 'A[[cite:1]] B[[cite:2]] C[[cite:3]]' }] });
    const reply = await ask(reader, key);
    expect(citationsOf(reply).map((one) => [one.number, one.filename])).toEqual([
      [1, 'handbook.pdf'],
      [2, 'printer.txt'],
    ]);
    expect(citationsOf(reply)[1]).toMatchObject({ store_id: storeId, file_id: fileId });
    expect(reply.content).toBe('A B C');
  });

  it.each<[string, (reader: Reader) => Promise<unknown>]>([
    ['the file is deleted', ({ client, file }) => client.request(`/files/${file.fileId}`, { method: 'DELETE' })],
    ['the right is lost', (reader) => change(reader, { ownerId: null })],
  ])('show nothing of a passage once %s, in old conversations and in prompts', async (_when, lose) => {
    const reader = await createReader();
    const reply = await ask(reader, await searching(['Settings[[cite:1]].']));
    expect(resultsOf(reply).join()).toContain('open the settings');
    await lose(reader);
    const later = await lastMessage(reader);
    expect(later.citations).toEqual([{ number: 1, index: 20, filename: 'handbook.pdf' }]);
    expect(resultsOf(later)).toEqual(['[[cite:1]] handbook.pdf, page 12, Accounts › Passwords\n[removed]']);
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ text: 'Nothing.' }] });
    expect((await ask(reader, key)).content).toBe('Nothing.');
    const prompt = JSON.stringify(await app.model.requests(key));
    expect(prompt).not.toContain('open the settings');
  });

  it('store places instead of texts', async () => {
    const reader = await createReader();
    await ask(reader, await searching(['Settings[[cite:1]].']));
    const { manager } = app.app.get(Database);
    const calls = await findRows(manager, ToolCallEntity, { chatId: reader.chatId });
    expect(calls.map(({ result }) => result).join()).not.toContain('open the settings');
    const stored = await manager.query('SELECT parts FROM chat_messages WHERE chat_id = ' + reader.chatId);
    expect(JSON.stringify(stored)).not.toContain('open the settings');
  });

  it('search with the rights of the user whose reply it is', async () => {
    const reader = await createReader();
    const stranger = await app.newClient();
    const { id: chatId } = await stranger.createChat({ agent_id: reader.agent.id });
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ text: 'No idea.' }] });
    await ask({ client: stranger, chatId }, key);
    const [request] = await app.model.requests(key);
    expect(request?.body.tools).toBeUndefined();
    const refused = await stranger.request('/chat', { body: { knowledge: [reader.store.id] } });
    expectFailure(refused, 404, 'KNOWLEDGE_NOT_FOUND');
    expectFailure(
      await stranger.request(`/chat/${chatId}`, { method: 'PUT', body: { knowledge: [reader.store.id] } }),
      404,
      'KNOWLEDGE_NOT_FOUND',
    );
  });

  it('search the collections of the conversation', async () => {
    const { client, store } = await createReader();
    const { id } = await createAgent();
    const chat = await client.createChat({ agent_id: id, knowledge: [store.id] });
    expect(chat.knowledge).toEqual([store.id]);
    const reply = await ask({ client, chatId: chat.id }, await searching(['Settings[[cite:1]].']));
    expect(citationsOf(reply)).toHaveLength(1);
  });

  it('search only the named collection, and report one that does not exist', async () => {
    const reader = await createReader();
    const other = await createStore(reader.client);
    const { client } = reader;
    await client.request(`/chat/${reader.chatId}`, { method: 'PUT', body: { knowledge: [other.id] } });
    const named = (collection: number) => searching(['Done.'], { queries: ['password'], collection });
    expect(resultsOf(await ask(reader, await named(other.id)))).toEqual(['No passage matches.']);
    expect(resultsOf(await ask(reader, await named(reader.store.id)))[0]).toContain('open the settings');
    expect(resultsOf(await ask(reader, await named(987_654)))[0]).toMatch(/^There is no collection 987654/);
  });

  it.each([
    ['ask', 'requires_action'],
    ['deny', 'completed'],
  ])('apply the policy %s', async (policy, status) => {
    const reader = await createReader({ tools: [{ name: 'search_knowledge', policy }] });
    const reply = await ask(reader, await searching(['Done.']));
    expect([reply.status, resultsOf(reply).join()]).toEqual([status, policy === 'ask' ? '' : expect.any(String)]);
    expect(JSON.stringify(reply)).not.toContain('open the settings');
  });

  it.each([
    [false, true],
    [true, false],
  ])('return untrusted content unless the collections are trusted: %p', async (trusted, isOutside) => {
    const reader = await createReader();
    const { manager } = app.app.get(Database);
    await change(reader, { trusted });
    await ask(reader, await searching(['Done.']));
    const calls = await findRows(manager, ToolCallEntity, { chatId: reader.chatId });
    expect(calls.map((call) => call.isOutside)).toEqual([isOutside]);
  });

  it('are offered no search without collections', async () => {
    const { client } = await createReader();
    const { id } = await createAgent();
    const { id: chatId } = await client.createChat({ agent_id: id });
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ text: 'Plain [[cite:1]].' }] });
    expect((await ask({ client, chatId }, key)).content).toBe('Plain [[cite:1]].');
    const [request] = await app.model.requests(key);
    expect(request?.body.tools).toBeUndefined();
  });

  it('cite with the demo model', async () => {
    const reader = await createReader({ provider: 'demo' });
    const reply = await ask(reader, 'How do I reset my password?');
    expect(reply.content).toBe('To reset your password, open the settings. Write [ [cite:1]] on paper. ');
    expect(citationsOf(reply)).toMatchObject([{ number: 1, index: reply.content.length, filename: 'handbook.pdf' }]);
  });

  it('get passages before the message if their model cannot call functions', async () => {
    const provider = app.app.get(ModelRegistry).find('openai-compatible')!.provider;
    const features = jest.replaceProperty(provider, 'features', new Set());
    try {
      const reader = await createReader();
      const key = uniqueContent('How do I reset my password?');
      await app.model.script({ key, steps: [{ text: 'Open the settings[[cite:1]].' }] });
      const reply = await ask(reader, key);
      expect(reply).toMatchObject({ status: 'completed', content: 'Open the settings.', citations: [{ index: 17 }] });
      expect(reply.parts).toMatchObject([
        {
          type: 'tool_call',
          name: 'search_knowledge',
          arguments: JSON.stringify({ queries: [key] }),
          state: 'succeeded',
        },
        { type: 'tool_result', is_error: false },
        { type: 'text', text: 'Open the settings.' },
      ]);
      const requests = await app.model.requests(key);
      expect(requests).toHaveLength(1);
      const [request] = requests;
      expect(request?.body.tools).toBeUndefined();
      expect(request?.body.messages.map(({ role }) => role)).toEqual(['user']);
      expect(request?.body.messages[0]?.content).toMatch(
        /\[\[cite:1\]\] handbook\.pdf[^]*on paper\.\n\nHow do I reset/,
      );
      const quiet = await createReader({ tools: [{ name: 'search_knowledge', policy: 'ask' }] });
      const other = uniqueContent('How do I reset my password?');
      await app.model.script({ key: other, steps: [{ text: 'No idea.' }] });
      expect((await ask(quiet, other)).parts).toBeNull();
    } finally {
      features.restore();
    }
  });

  it('lose a right with the next search of a running reply', async () => {
    const reader = await createReader();
    const key = uniqueContent();
    const toolCall = { id: 'search', name: 'search_knowledge', arguments: '{"queries": ["password"]}' };
    await app.model.script({ key, times: 1, steps: [{ toolCall }] });
    await app.model.script({ key, times: 1, steps: [{ text: 'First[[cite:1]].' }, { hold: key }, { toolCall }] });
    await app.model.script({ key, steps: [{ text: ' Done.' }] });
    const stream = await reader.client.stream(reader.chatId, key, { query: 'stream_format=sse' });
    await stream.until('First');
    await change(reader, { ownerId: null });
    await app.model.release(key);
    await stream.events();
    const reply = await lastMessage(reader);
    expect(reply.content).toBe('First. Done.');
    expect(resultsOf(reply)[1]).toBe('No passage matches.');
  });
});
