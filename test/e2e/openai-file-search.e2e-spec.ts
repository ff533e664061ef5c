import { Database } from '../../src/database/database';
import { updateRows } from '../../src/database/statements/update';
import { KnowledgeStoreEntity } from '../../src/modules/knowledge/tables/knowledge-store.entity';
import { uniqueContent } from '../support/chat-client';
import { PASSWORDS, type Reader, useKnowing } from '../support/knowing';
import { lastResponse, ResponsesClient, textOf } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';

describe('file search in the OpenAI-compatible API', () => {
  const { app, createAgent, createReader, searching } = useKnowing();

  const callerOf = ({ client }: Pick<Reader, 'client'>, { name }: { name: string }) =>
    new ResponsesClient(app.origin, client.token, name);

  const content = 'Let me see. Settings.';
  const annotation = (reader: Reader) => ({
    type: 'file_citation',
    file_id: `file-${reader.file.fileId}`,
    filename: 'handbook.pdf',
    index: 8,
  });

  it('shows the searches of an agent, with annotations of its text', async () => {
    const reader = await createReader();
    const caller = callerOf(reader, reader.agent);
    const key = await searching(['Settings[[cite:1]].']);
    const events = await caller.stream({ input: key });
    const response = lastResponse(events);
    const id = Number(response.id.slice(5));
    expect(textOf(response)).toBe(content);
    expect(response.output.map(({ type }) => type)).toEqual(['message', 'file_search_call', 'message']);
    expect(response.output[1]).toEqual({
      type: 'file_search_call',
      id: `fs_${id}_0`,
      status: 'completed',
      queries: ['reset password'],
      results: null,
    });
    expect(response.output[2]).toMatchObject({ content: [{ text: 'Settings.', annotations: [annotation(reader)] }] });
    const names = events.map(({ type }) => type);
    expect(names).toEqual(
      expect.arrayContaining([
        'response.file_search_call.in_progress',
        'response.file_search_call.searching',
        'response.file_search_call.completed',
      ]),
    );
    const added = names.indexOf('response.output_text.annotation.added');
    expect(added).toBeLessThan(names.lastIndexOf('response.output_text.done'));
    expect(events[added]).toMatchObject({ annotation_index: 0, annotation: annotation(reader) });
    expect(await caller.get(response.id)).toEqual(response);
    const joined = await caller.join(response.id, 3);
    expect(joined).toEqual(events.slice(4));
    const full = await caller.request(`/responses/${response.id}?include[]=file_search_call.results`);
    expect(full.text).toContain('open the settings');
  });

  it('is a tool of requests, which needs nothing of the agent', async () => {
    const reader = await createReader();
    const caller = callerOf(reader, await createAgent());
    const key = uniqueContent();
    const toolCall = { id: 'search', name: 'file_search', arguments: '{"queries": ["reset password"]}' };
    await app.model.script({ key, times: 1, steps: [{ toolCall }] });
    await app.model.script({ key, steps: [{ text: 'Settings[[cite:1]].' }] });
    const tool = { type: 'file_search', vector_store_ids: [`vs_${reader.store.id}`], max_num_results: 3 };
    const response = await caller.create({
      input: key,
      tools: [tool],
      tool_choice: { type: 'file_search' },
      include: ['file_search_call.results'],
    });
    expect(response.output[0]).toMatchObject({
      type: 'file_search_call',
      queries: ['reset password'],
      results: [{ file_id: `file-${reader.file.fileId}`, filename: 'handbook.pdf', text: PASSWORDS }],
    });
    expect(response.output[1]).toMatchObject({ content: [{ annotations: [{ ...annotation(reader) }] }] });
    expect(response.tools).toMatchObject([tool]);
    const [first, second] = await app.model.requests(key);
    expect(first?.body.tool_choice).toEqual({ type: 'function', function: { name: 'file_search' } });
    expect(second?.body.tool_choice).toBeUndefined();
    const next = uniqueContent();
    await app.model.script({ key: next, steps: [{ text: 'Yes.' }] });
    await caller.create({
      input: [{ role: 'user', content: 'Hi' }, ...response.output, { role: 'user', content: next }],
      store: false,
    });
    const [again] = await app.model.requests(next);
    expect(again?.body.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  });

  it('is refused for collections that the caller may not read, and twice', async () => {
    const [reader, other] = [await createReader(), await createReader()];
    const caller = callerOf(reader, reader.agent);
    const tool = (id: string) => ({ type: 'file_search', vector_store_ids: [id] });
    const own = tool(`vs_${reader.store.id}`);
    const foreign = await caller.post({ input: 'Hello', tools: [tool(`vs_${other.store.id}`)] });
    expectOpenAiFailure(foreign, 404, 'KNOWLEDGE_NOT_FOUND', 'tools[0].vector_store_ids[0]');
    const malformed = await caller.post({ input: 'Hello', tools: [tool('3')] });
    expectOpenAiFailure(malformed, 404, 'KNOWLEDGE_NOT_FOUND', 'tools[0].vector_store_ids[0]');
    expect((await caller.post({ input: 'Hello', tools: [own, own] })).status).toBe(400);
    const { store } = await createReader();
    const ended = { everyone: 'reader' as const, expiresAt: new Date(0) };
    await app.app.get(Database).write((manager) => updateRows(manager, KnowledgeStoreEntity, ended, { id: store.id }));
    const expired = await caller.post({ input: 'Hello', tools: [tool(`vs_${store.id}`)] });
    expectOpenAiFailure(expired, 400, 'vector_store_expired', 'tools[0].vector_store_ids[0]');
    const named = { type: 'function', name: 'file_search', parameters: {} };
    expect((await caller.post({ input: 'Hello', tools: [own, named] })).status).toBe(400);
  });

  it('returns citations with chat completions, streamed and whole', async () => {
    const reader = await createReader();
    const body = async (stream: boolean) => ({
      model: reader.agent.name,
      messages: [{ role: 'user', content: await searching(['Settings[[cite:1]].']) }],
      stream,
    });
    const { client } = reader;
    const post = async (stream: boolean) =>
      callerOf(reader, reader.agent).request<{ citations: object[]; choices: object[] }>('/chat/completions', {
        body: await body(stream),
        token: client.token,
      });
    const whole = await post(false);
    const citation = { number: 1, index: 20, file_id: `file-${reader.file.fileId}`, store_id: `vs_${reader.store.id}` };
    expect(whole.body).toMatchObject({ citations: [citation], choices: [{ message: { content } }] });
    const streamed = (await post(true)).text.split('\n\n').filter((line) => line.includes('finish_reason":"stop'));
    expect(streamed).toHaveLength(1);
    expect(streamed[0]).toContain(`"file_id":"file-${reader.file.fileId}"`);
    expect(JSON.stringify(whole.body.choices)).not.toContain('tool_calls');
  });
});
