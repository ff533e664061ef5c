import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import type { ResponseItem } from '../../src/modules/openai/responses/wire/response-item';
import type { ResponseResource } from '../../src/modules/openai/responses/wire/response-resource';
import { uniqueContent } from '../support/chat-client';
import { useMcpCalls } from '../support/mcp/mcp-calls';
import { lastResponse } from '../support/open-responses/responses-client';

const typesOf = ({ output }: Pick<ResponseResource, 'output'>): string[] => output.map(({ type }) => type);

const listsIn = ({ output }: Pick<ResponseResource, 'output'>) =>
  output.filter((item: ResponseItem) => item.type === 'mcp_list_tools');

describe('MCP tools in the Responses API', () => {
  const { app, client, servers, scripted, trusted, programFor, calling, offeredFor } = useMcpCalls();

  /** A server with three tools, one of which has a different name for models, and a client whose agent has them all. */
  async function withTools() {
    scripted.tools.push({ name: 'files/read', annotations: { readOnlyHint: true } });
    const { id, label } = await trusted();
    const told = ['look', 'book', 'files_read'].map((name) => `${label}__${name}`);
    const caller = await programFor(...told.map((name) => ({ name })), { name: 'calculate' });
    return { id, label, told, caller };
  }

  const mcp = (server_label: string, more: object = {}) => ({ type: 'mcp', server_label, ...more });

  it('are listed and called by their names on the server', async () => {
    const { label, told, caller } = await withTools();
    const key = uniqueContent();
    await calling(key, [told[2]!, { path: 'a' }], [told[1]!, { what: key }]);
    const events = await caller.stream({ input: key, tools: [mcp(label)] });
    const response = lastResponse(events);
    expect(typesOf(response)).toEqual(['mcp_list_tools', 'mcp_call', 'mcp_approval_request']);
    expect(response.output[0]).toMatchObject({
      server_label: label,
      tools: [
        { name: 'look', description: 'Looks.', annotations: { read_only: true } },
        { name: 'book', input_schema: { required: ['what'] }, annotations: { read_only: false } },
        { name: 'files/read' },
      ],
      error: null,
    });
    expect(response.output[1]).toMatchObject({ server_label: label, name: 'files/read', status: 'completed' });
    expect(response.output[2]).toMatchObject({ server_label: label, name: 'book' });
    expect(events.map(({ type }) => type).slice(0, 6)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.mcp_list_tools.in_progress',
      'response.mcp_list_tools.completed',
      'response.output_item.done',
    ]);
    expect(await caller.get(response.id)).toEqual(response);
    for (const after of [1, 3, 5]) {
      expect(await caller.join(response.id, after)).toEqual(events.slice(after + 1));
    }
    const items = await caller.items(`/conversations/${response.conversation?.id}/items?order=asc`);
    expect(items.data.slice(1)).toEqual(response.output);
    const approval = response.output[2] as { id: string };
    const input = [{ type: 'mcp_approval_response', approval_request_id: approval.id, approve: true }];
    const next = await caller.create({ previous_response_id: response.id, input });
    expect(typesOf(next)).toEqual(['mcp_call', 'message']);
    expect(next.output[0]).toMatchObject({ server_label: label, name: 'book', status: 'completed' });
    expect(scripted.calls().map(({ params }) => params?.name)).toEqual(['files/read', 'book']);
  });

  it('are listed once in a conversation, and not if the client sends the list back', async () => {
    const { label, caller } = await withTools();
    const [one, two] = [uniqueContent(), uniqueContent()];
    await calling(one);
    const tools = [mcp(label), mcp('tool')];
    const first = await caller.create({ input: one, tools });
    expect(listsIn(first).map((item) => item.server_label)).toEqual([label, 'tool']);
    const second = await caller.create({ input: two, tools, previous_response_id: first.id });
    expect(listsIn(second)).toEqual([]);
    const beside = await caller.create({
      input: uniqueContent(),
      tools: [mcp('tool')],
      conversation: first.conversation?.id,
    });
    expect(listsIn(beside)).toEqual([]);
    const own = await caller.create({ input: [...first.output, { role: 'user', content: two }], tools });
    expect(listsIn(own)).toEqual([]);
    const plain = await caller.create({ input: uniqueContent() });
    expect(listsIn(plain)).toEqual([]);
    const kept = first.output.find((item) => item.type === 'mcp_list_tools') as { id: string };
    const named = [
      { type: 'item_reference', id: kept.id },
      { role: 'user', content: two },
    ];
    expect((await caller.create({ input: named })).status).toBe('completed');
  });

  it.each<[object, (string | undefined)[]]>([
    [{ allowed_tools: ['look', 'files/read', 'nothing'] }, ['look', 'files_read']],
    [{ allowed_tools: { tool_names: ['book'] } }, ['book']],
    [{ allowed_tools: { read_only: true } }, ['look', 'files_read']],
    [{ allowed_tools: { tool_names: ['look', 'book'], read_only: false } }, ['book']],
    [{ allowed_tools: [] }, []],
    [{ require_approval: 'never' }, ['look', 'book', 'files_read']],
  ])('are narrowed by %j, and nothing else is', async (entry, left) => {
    const { label, caller } = await withTools();
    const key = uniqueContent();
    await calling(key);
    await caller.create({ input: key, tools: [mcp(label, entry)] });
    expect((await offeredFor(key))[0]).toEqual([...left.map((name) => `${label}__${name}`), 'calculate']);
  });

  it.each<[unknown, boolean]>([
    ['never', false],
    ['always', true],
    [{ always: { tool_names: ['look'] } }, true],
    [{ never: { tool_names: ['files/read'] } }, true],
    [{ never: { read_only: true } }, false],
  ])('require approval by require_approval %j, and never less', async (require_approval, asks) => {
    const { label, told, caller } = await withTools();
    const key = uniqueContent();
    await calling(key, [told[0]!, {}], [told[1]!, { what: key }]);
    const response = await caller.create({ input: key, tools: [mcp(label, { require_approval })] });
    const asked = response.output.flatMap((item) => (item.type === 'mcp_approval_request' ? [item.name] : []));
    expect(asked).toEqual(asks ? ['look', 'book'] : ['book']);
  });

  it.each<[object, string]>([
    [{ server_label: 'nobody' }, 'tools[0].server_label'],
    [{ headers: { 'x-key': 'a' } }, 'tools[0].headers'],
    [{ authorization: 'a' }, 'tools[0].authorization'],
    [{ server_url: 'https://example.com/mcp' }, 'tools[0].server_url'],
    [{ connector_id: 'connector_gmail' }, 'tools[0].connector_id'],
  ])('are refused with %j', async (entry, param) => {
    const { label, caller } = await withTools();
    const { status, body } = await caller.post<{ error: { param: string } }>({
      input: 'Hello',
      tools: [mcp(label, entry)],
    });
    expect([status, body.error.param]).toEqual([400, param]);
  });

  it("are not confused with the client's functions", async () => {
    const { label, caller } = await withTools();
    const look = { type: 'function', name: `${label}__look`, parameters: {} };
    const group = { type: 'namespace', name: label, tools: [{ type: 'function', name: 'look', parameters: {} }] };
    for (const tool of [look, group]) {
      expect((await caller.post({ input: 'Hello', tools: [mcp(label), tool] })).status).toBe(400);
      expect((await caller.post({ input: 'Hello', tools: [tool] })).status).toBe(400);
      expect((await caller.post({ input: 'Hello', tools: [mcp(label, { allowed_tools: [] }), tool] })).status).toBe(
        200,
      );
    }
  });

  it('stay narrowed when the reply is regenerated, including tools added later', async () => {
    const { id, label, told, caller } = await withTools();
    const key = uniqueContent();
    await calling(key);
    const entry = { allowed_tools: ['look', 'later'], require_approval: { always: { tool_names: ['look'] } } };
    const { body: named } = await caller.request<{ id: string }>('/conversations', { body: {} });
    const first = await caller.create({ input: key, tools: [mcp(label, entry)], conversation: named.id });
    const chatId = Number(first.conversation?.id.slice('conv_'.length));
    const question = (await client.read(chatId)).messages.find(({ role }) => role === 'user');
    const reply = Number(first.id.slice('resp_'.length));
    const remade = (path: string, body: object = {}) => client.request<MessageDto[]>(path, { body });
    expect((await remade(`/chat/${chatId}/messages/${reply}/regenerate`)).status).toBe(200);
    // A tool that was not approved then, and that the request omitted.
    scripted.tools.push({ name: 'other' });
    for (const tool of await servers.refresh(id)) await servers.decide(id, tool);
    expect((await caller.request(`/responses/${first.id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await remade(`/chat/${chatId}/messages/${reply}/regenerate`)).status).toBe(200);
    const edited = { content: `${key} again` };
    const path = `/chat/${chatId}/messages/${question?.id}`;
    expect((await client.request(path, { method: 'PUT', body: edited })).status).toBe(200);
    const offered = await offeredFor(key);
    expect(offered).toHaveLength(4);
    offered.forEach((names) => expect(names).toEqual([told[0], 'calculate']));
    const asks = uniqueContent();
    await calling(asks, [told[0]!, {}]);
    const again = await client.request(path, { method: 'PUT', body: { content: asks } });
    expect(again.text).toContain('requires_action');
    expect(scripted.calls()).toEqual([]);
  });

  it('are marked as untrusted for the model when a client sends their calls back', async () => {
    const { label, told, caller } = await withTools();
    const key = uniqueContent();
    await calling(key);
    const call = (name: string, more: object) => ({
      type: 'mcp_call',
      id: 'mcp_9',
      server_label: label,
      name,
      ...more,
    });
    const input = [
      { type: 'mcp_list_tools', id: 'mcpl_9', server_label: label, tools: [] },
      { type: 'mcp_approval_request', id: 'mcpr_x', server_label: label, name: 'look', arguments: '{}' },
      call('files/read', { arguments: '{"path":"a"}', output: 'Milk.', error: null, approval_request_id: 'mcpr_x' }),
      call('gone', { arguments: '{}', output: null, error: { type: 'http_error', code: 500 } }),
      call('cut', { arguments: '{}' }),
      { role: 'user', content: key },
    ];
    await caller.create({ input, store: false });
    const [asked] = await app.model.requests(key);
    const said = (asked?.body.messages ?? []) as {
      role: string;
      content?: string;
      tool_calls?: { function: object }[];
    }[];
    expect(said.flatMap(({ tool_calls = [] }) => tool_calls.map((one) => one.function))).toEqual([
      { name: told[2], arguments: '{"path":"a"}' },
      { name: `${label}__gone`, arguments: '{}' },
      { name: `${label}__cut`, arguments: '{}' },
    ]);
    expect(said.flatMap(({ role, content }) => (role === 'tool' ? [content] : []))).toEqual([
      'Milk.',
      '{"type":"http_error","code":500}',
      'The tool did not respond, but it may have acted. Check its effect before you call it again.',
    ]);
    expect((await caller.post({ input: [{ type: 'mcp_call' }, { role: 'user', content: 'x' }] })).status).toBe(400);
  });
});
