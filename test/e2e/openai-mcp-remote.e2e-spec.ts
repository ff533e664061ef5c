// @databases sqlite: the stored form of secrets is the same on each engine
import { Database } from '../../src/database/database';
import { McpNetwork } from '../../src/modules/mcp/protocol/mcp-network';
import type { ResponseResource } from '../../src/modules/openai/responses/wire/response-resource';
import { uniqueContent } from '../support/chat-client';
import { useMcpCalls } from '../support/mcp/mcp-calls';

const SECRET = 'a-token-that-nobody-keeps';

describe('MCP servers in a request', () => {
  const { app, client, servers, scripted, programFor, calling, offeredFor, actionOf, approve } = useMcpCalls({
    MCP_REMOTE_URLS: 'true',
  });

  /** The servers in these tests have internal addresses, so they use the guard for configured servers. */
  beforeEach(async () => {
    scripted.tools = [{ name: 'look', description: 'Looks.', annotations: { readOnlyHint: true } }, { name: 'book' }];
    const network = app.app.get(McpNetwork, { strict: false });
    const ways = await network.current();
    jest.spyOn(network, 'current').mockResolvedValue({ ...ways, public: ways.any });
  });

  const entry = (more: object = {}) => ({
    type: 'mcp',
    server_label: 'own',
    server_url: scripted.url,
    require_approval: 'never',
    ...more,
  });

  const asksIn = ({ output }: Pick<ResponseResource, 'output'>) =>
    output.flatMap((item) => (item.type === 'mcp_approval_request' ? [item] : []));

  /** A response that requests approval of `look`. */
  async function asking(more: object = {}) {
    const caller = await programFor({ name: 'calculate' });
    const key = uniqueContent();
    await calling(key, ['own__look', {}]);
    const first = await caller.create({ input: key, tools: [entry(more)] });
    const [approval] = asksIn(first);
    const input = [{ type: 'mcp_approval_response', approval_request_id: approval?.id, approve: true }];
    return { caller, key, first, approval, next: { previous_response_id: first.id, input } };
  }

  it('are queried for their tools, each of which requires approval, whatever it declares', async () => {
    const { caller, key, first, approval, next } = await asking();
    expect(first.output.map(({ type }) => type)).toEqual(['mcp_list_tools', 'mcp_approval_request']);
    expect(first.tools).toMatchObject([{ server_label: 'own', server_url: scripted.url }]);
    expect(approval).toMatchObject({ server_label: 'own', name: 'look' });
    expect((await offeredFor(key))[0]).toEqual(['calculate', 'own__look', 'own__book']);
    expect(scripted.calls()).toEqual([]);
    const done = await caller.create(next);
    expect(done.output[0]).toMatchObject({ type: 'mcp_call', name: 'look', status: 'completed' });
    expect(scripted.calls()).toHaveLength(1);
  });

  it('receive the credentials in the request, which are not stored', async () => {
    const { caller, next } = await asking({ authorization: SECRET, headers: { 'x-key': SECRET } });
    expect(scripted.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${SECRET}`, 'x-key': SECRET });
    const tables = ['openai_responses', 'tool_runs', 'tool_calls', 'chat_reply_wishes', 'chat_idempotency_keys'];
    for (const table of tables) {
      const rows = await app.app.get(Database).manager.query<object[]>(`SELECT * FROM ${table}`);
      expect(JSON.stringify(rows)).not.toContain(SECRET);
    }
    const seen = scripted.requests.length;
    const done = await caller.create({
      ...next,
      tools: [entry({ authorization: SECRET, headers: { 'x-key': SECRET } })],
    });
    expect(done.output[0]).toMatchObject({ type: 'mcp_call', status: 'completed' });
    expect(scripted.requests.slice(seen).every(({ headers }) => headers['x-key'] === SECRET)).toBe(true);
  });

  it('are not called without them, nor with those for another address', async () => {
    for (const tools of [[], [entry({ server_url: `${scripted.url}/other`, authorization: SECRET })]]) {
      const { caller, next } = await asking({ authorization: SECRET });
      const seen = scripted.requests.length;
      const done = await caller.create({ ...next, tools });
      expect(done.output[0]).toMatchObject({ type: 'mcp_call', status: 'failed' });
      expect(JSON.stringify(done.output[0])).toContain('asks for a sign-in');
      expect(scripted.requests).toHaveLength(seen);
    }
    const { first } = await asking({ authorization: SECRET });
    const chatId = Number(first.conversation?.id.slice('conv_'.length));
    const action = await actionOf(chatId);
    const remembered = { decision: 'approve', arguments_hash: action.arguments_hash, remember: 'chat' };
    expect((await client.request(`/chat/${chatId}/actions/${action.id}`, { body: remembered })).status).toBe(422);
    expect(JSON.stringify(await approve(chatId, action))).toContain('asks for a sign-in');
    expect(scripted.calls()).toEqual([]);
  });

  it('do not receive a call that was approved for another tool', async () => {
    const { caller, next } = await asking();
    scripted.tools = [{ name: 'look', description: 'Looks, and deletes.' }];
    const done = await caller.create(next);
    expect(done.output[0]).toMatchObject({ type: 'mcp_call', status: 'failed' });
    expect(scripted.calls()).toEqual([]);
  });

  it('are not offered if no user can approve, nor when the reply is regenerated', async () => {
    const caller = await programFor({ name: 'calculate' });
    const key = uniqueContent();
    await calling(key);
    const alone = await caller.post({ input: key, store: false, tools: [entry()] });
    expect([alone.status, alone.headers.get('x-withheld-tools')]).toEqual([200, 'own__look, own__book']);
    const kept = await caller.create({ input: key, tools: [entry()] });
    const chatId = kept.conversation?.id.slice('conv_'.length);
    await client.request(`/chat/${chatId}/messages/${kept.id.slice(5)}/regenerate`, { body: {} });
    const expected = [['calculate'], ['calculate', 'own__look', 'own__book'], ['calculate']];
    expect(await offeredFor(key)).toEqual(expected);
  });

  it('offer no tool that is ambiguous, invisible or unreadable', async () => {
    const caller = await programFor({ name: 'calculate' });
    const key = uniqueContent();
    await calling(key);
    const deep = JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`) as object;
    scripted.tools = [
      { name: 'fine' },
      { name: 'twice' },
      { name: 'twice' },
      { name: 'hidden', description: 'Does \u{e0041}this.' },
      { name: 'deep', inputSchema: { type: 'object', deep } },
      { name: 'large', description: 'x'.repeat(40_000) },
    ];
    await caller.create({ input: key, tools: [entry({ allowed_tools: { read_only: false } })] });
    expect(await offeredFor(key)).toEqual([['calculate', 'own__fine']]);
  });

  it('are refused if they are ambiguous, or too many', async () => {
    const { label } = await servers.add(scripted.url);
    const caller = await programFor({ name: 'calculate' });
    const four = ['a', 'b', 'c', 'd'].map((server_label) => entry({ server_label }));
    const refused: [object[], string][] = [
      [[entry({ server_label: label })], 'tools[0].server_label'],
      [[entry({ server_label: 'tool' })], 'tools[0].server_label'],
      [[entry({ server_label: 'a__b' })], 'tools[0].server_label'],
      [[entry(), entry()], 'tools[1].server_label'],
      [[entry({ headers: { host: 'x' } })], 'tools[0].headers'],
      [[entry({ headers: { 'x-key': 'a\r\nb' } })], 'tools[0].headers'],
      [[entry({ server_url: 'file:///etc/passwd' })], 'tools[0].server_url'],
      [[entry({ server_url: 'https://me:secret@example.com/' })], 'tools[0].server_url'],
      [[{ type: 'function', name: 'own__look', parameters: {} }, entry()], 'tools[0].name'],
      [four, 'tools'],
    ];
    for (const [tools, param] of refused) {
      const { status, body } = await caller.post<{ error: { param: string } }>({ input: 'Hello', tools });
      expect([status, body.error.param]).toEqual([400, param]);
    }
    scripted.intercept = (_request, response) => Boolean(response.writeHead(500).end());
    const { status, body } = await caller.post<{ error: object }>({ input: 'Hello', tools: [entry()] });
    expect([status, body.error]).toEqual([
      424,
      expect.objectContaining({ code: 'external_connector_error', param: 'tools[0].server_url' }),
    ]);
  });
});

describe('MCP servers in a request, inside the network', () => {
  const { scripted, programFor } = useMcpCalls({ MCP_REMOTE_URLS: 'true' });

  it('are never reached, not even at hosts that administrators allowed', async () => {
    const caller = await programFor({ name: 'calculate' });
    for (const server_url of [
      scripted.url,
      scripted.url.replace('http:', 'https:'),
      'https://localhost/',
      'https://[::1]/mcp',
    ]) {
      const tools = [{ type: 'mcp', server_label: 'own', server_url }];
      const { status, body } = await caller.post<{ error: { param: string } }>({ input: 'Hello', tools });
      expect([status, body.error.param]).toEqual([400, 'tools[0].server_url']);
    }
    expect(scripted.requests).toEqual([]);
  });
});
