import { DomainEvents } from '../../src/common/events/domain-events';
import type { McpServerDto, McpServerTestDto } from '../../src/modules/mcp/administration/mcp-server.dto';
import type { McpToolDto } from '../../src/modules/mcp/administration/mcp-tool.dto';
import { expectFailure } from '../support/http';
import { MCP_SERVERS, mcpServersOf } from '../support/mcp/mcp-servers';
import { answer, type ScriptedMcpServer, startScriptedMcpServer, stream } from '../support/mcp/scripted-mcp-server';
import { made, useAdmin, useOwnTestApp } from '../support/use-app';

/** An object nested this deep. */
function nested(depth: number): object {
  let value: object = { type: 'string' };
  for (let level = 0; level < depth; level++) value = { properties: { next: value } };
  return { type: 'object', ...value };
}

const toolAt = (place: number) => ({ name: `t${place}`, inputSchema: { type: 'object' } });

describe('MCP tools', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);
  const servers = made(beforeAll, () => Promise.resolve(mcpServersOf(admin)));
  let scripted: ScriptedMcpServer;

  beforeEach(async () => {
    scripted = await startScriptedMcpServer();
    scripted.tools = [{ name: 'look' }, { name: 'book' }];
  });

  afterEach(() => scripted.close());

  const states = async (id: number): Promise<string[]> =>
    (await servers.refresh(id)).map(({ name, state, problems }) => [name, state, ...problems].join(' '));

  const reasonOf = async (id: number) =>
    (await admin.post<McpServerTestDto>(`${MCP_SERVERS}/${id}/test`)).body.data.reason;

  it('wait for approval, and again when they change, are removed or added', async () => {
    const { id } = await servers.approved(scripted.url);
    expect(await states(id)).toEqual(['book approved', 'look approved']);
    const [book] = await servers.toolsOf(id);
    scripted.tools = [{ name: 'book', annotations: { readOnlyHint: true } }, { name: 'new' }];
    expect(await states(id)).toEqual(['book quarantined', 'look gone', 'new quarantined']);
    expectFailure(await servers.decide(id, book!), 409, 'MCP_TOOL_CHANGED');
    expectFailure(await servers.decide(id, { name: 'none', pin: book!.pin }), 404, 'MCP_TOOL_NOT_FOUND');
    expectFailure(await servers.decide(id, { name: 'new', pin: 'x' }), 422, 'VALIDATION_ERROR');
    const [changed, gone] = await servers.toolsOf(id);
    expect(changed).toMatchObject({
      definition: { annotations: { readOnlyHint: true } },
      approved_definition: { name: 'book' },
    });
    expectFailure(await servers.decide(id, gone!), 409, 'MCP_TOOL_CHANGED');
    // The approved definition, with its members in another order.
    scripted.tools = [{ inputSchema: { type: 'object' }, name: 'book' }];
    expect(await states(id)).toEqual(['book approved', 'look gone', 'new gone']);
    expect((await servers.decide(id, book!, 'blocked')).body.data.state).toBe('blocked');
    scripted.tools = [{ name: 'book', description: 'Another.' }];
    expect((await states(id))[0]).toBe('book blocked');
  });

  it('are counted while they wait, and listed by their state', async () => {
    const { id } = await servers.approved(scripted.url);
    scripted.tools = [{ name: 'look', description: 'Another.' }, { name: 'book' }, { name: 'new' }];
    await servers.refresh(id);
    const shown = (await admin.get<McpServerDto>(`${MCP_SERVERS}/${id}`)).body.data;
    const listed = await admin.items<McpServerDto>(`${MCP_SERVERS}?size=100`);
    expect(shown.waiting_tools).toBe(2);
    expect(listed.find((server) => server.id === id)).toEqual(shown);
    const names = async (state: string): Promise<string[]> =>
      (await admin.items<McpToolDto>(`${MCP_SERVERS}/${id}/tools?state=${state}`)).map(({ name }) => name);
    expect(await names('quarantined')).toEqual(['look', 'new']);
    expect(await names('approved')).toEqual(['book']);
    expectFailure(await admin.get(`${MCP_SERVERS}/${id}/tools?state=new`), 400, 'VALIDATION_ERROR');
  });

  it('show the last failure of their server, until it answers or is changed', async () => {
    const { id } = await servers.add(scripted.url);
    const fault = async () => (await admin.get<McpServerDto>(`${MCP_SERVERS}/${id}`)).body.data.fault;
    expect(await fault()).toBeNull();
    scripted.intercept = (_request, response) => !!response.writeHead(401).end();
    expect(await reasonOf(id)).toBe('unauthorized');
    expect(await fault()).toBe('unauthorized');
    scripted.intercept = () => false;
    expect(await reasonOf(id)).toBeNull();
    expect(await fault()).toBeNull();
    scripted.intercept = (_request, response) => !!response.writeHead(500).end();
    expect(await reasonOf(id)).toBe('failed');
    const changed = await admin.put<McpServerDto>(`${MCP_SERVERS}/${id}`, { timeout: 5 });
    expect(changed.body.data.fault).toBeNull();
  });

  it('are audited, and administrators receive events', async () => {
    const told: object[] = [];
    app.app.get(DomainEvents).on('mcp.tool_changed', ({ userId, data }) => {
      told.push({ userId, ...data });
      return Promise.resolve();
    });
    const { id, label } = await servers.approved(scripted.url);
    scripted.tools = [{ name: 'look', title: 'Look' }];
    const [, look] = await servers.refresh(id);
    const decided = await servers.decide(id, look!);
    expect(await admin.entriesOf(decided)).toMatchObject([{ action: 'mcp_tool.update' }]);
    const event = { userId: null, server_id: id, label };
    expect(told).toEqual([
      { ...event, tool: 'look', kind: 'new' },
      { ...event, tool: 'book', kind: 'new' },
      { ...event, tool: 'book', kind: 'gone' },
      { ...event, tool: 'look', kind: 'changed' },
    ]);
  });

  it.each<[string, object[], string[]]>([
    ['one name twice', [{ name: 'a' }, { name: 'a', title: 'B' }], ['a quarantined duplicate_name']],
    [
      'two names that would be called the same',
      [{ name: 'a.b' }, { name: 'a_b' }],
      ['a.b quarantined equal_name', 'a_b quarantined equal_name'],
    ],
    [
      'invisible characters',
      [{ name: 'a', description: 'Nice.\u{e0041}\u{e0042}' }],
      ['a quarantined invisible_characters'],
    ],
    ['letters that look like others', [{ name: 'a', title: 'P\u0430ypal' }], ['a quarantined mixed_scripts']],
    ['words in Greek', [{ name: 'a', title: 'Καλημέρα world' }], ['a quarantined']],
    ['a schema that is too deep', [{ name: 'a', inputSchema: nested(500) }], ['a quarantined too_deep']],
    ['a definition that is too large', [{ name: 'a', description: 'x'.repeat(40_000) }], ['a quarantined too_large']],
    ['an input that is no object', [{ name: 'a', inputSchema: { type: 'string' } }], ['a quarantined invalid_schema']],
    [
      'a header that no client may send',
      [{ name: 'a', inputSchema: { type: 'object', properties: { at: { type: 'null', 'x-mcp-header': 'At' } } } }],
      ['a quarantined invalid_schema'],
    ],
    [
      'a call that only a task could make',
      [
        { name: 'a', execution: { taskSupport: 'required' } },
        { name: 'b', execution: { taskSupport: 'optional' } },
      ],
      ['a quarantined needs_task', 'b quarantined'],
    ],
  ])('report %s', async (_what, tools, expected) => {
    scripted.tools = tools as ScriptedMcpServer['tools'];
    const { id } = await servers.add(scripted.url);
    expect(await states(id)).toEqual(expected);
    const [tool] = await servers.toolsOf(id);
    const isFatal = /duplicate|too_|invalid_schema|needs_task/.test(expected[0]!);
    expect((await servers.decide(id, tool!)).status).toBe(isFatal ? 422 : 200);
    if (!isFatal) expect((await states(id))[0]).toMatch(/^\S+ approved/);
    expect(JSON.stringify(await servers.toolsOf(id))).not.toMatch(/\u{e0041}/u);
  });

  it('have names that models may use', async () => {
    const long = 'x'.repeat(70);
    scripted.tools = [{ name: 'files/read:all' }, { name: long }];
    const { id, label } = await servers.add(scripted.url);
    const told = (await servers.refresh(id)).map(({ told_name }) => told_name);
    expect(told[0]).toBe(`${label}__files_read_all`);
    expect(told[1]).toMatch(new RegExp(`^${`${label}__${long}`.slice(0, 55)}_[0-9a-f]{8}$`));
    expect((await servers.decide(id, (await servers.toolsOf(id))[0]!)).status).toBe(200);
  });

  it.each<[string, ScriptedMcpServer['intercept'], string]>([
    [
      'ten thousand tools',
      ({ id }, response) => {
        const tools = Array.from({ length: 10_000 }, (_value, index) => ({ name: `t${index}`, inputSchema: {} }));
        answer(response, id, { tools });
      },
      'too_many_tools',
    ],
    [
      'fifty megabytes',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        for (let sent = 0; sent < 50 && !response.destroyed; sent++) response.write(' '.repeat(1_000_000));
        response.end('{}');
      },
      'too_large',
    ],
    [
      'a stream that never ends',
      (_request, response) => {
        const send = stream(response);
        const timer = setInterval(() => send({ method: 'notifications/message', params: { data: 'x' } }), 50);
        response.on('close', () => clearInterval(timer));
      },
      'timeout',
    ],
    ['nothing', () => undefined, 'timeout'],
    [
      'a page',
      (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      'invalid',
    ],
    [
      'no JSON',
      (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
      'invalid',
    ],
    ['a cut answer', (_request, response) => void response.socket?.destroy(), 'unreachable'],
    ['a failure', (_request, response) => void response.writeHead(500).end(), 'failed'],
    ['tools without names', ({ id }, response) => answer(response, id, { tools: [{}] }), 'invalid'],
    [
      'what is compressed',
      (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
      'invalid',
    ],
  ])('are not listed by a server that answers %s', async (_what, behave, reason) => {
    const { id } = await servers.add(scripted.url);
    await servers.refresh(id);
    if (reason === 'timeout') await admin.put(`${MCP_SERVERS}/${id}`, { timeout: 1 });
    scripted.intercept = (request, response, message) => {
      if (request.method !== 'tools/list') return false;
      behave(request, response, message);
      return true;
    };
    expect(await reasonOf(id)).toBe(reason);
    expect(await servers.toolsOf(id)).toHaveLength(2);
  });

  it.each<[string, (page: number) => object, number]>([
    ['the same cursor', (page) => ({ tools: [toolAt(page)], nextCursor: 'again' }), 2],
    ['another cursor and the same page', (page) => ({ tools: [toolAt(0)], nextCursor: `c${page}` }), 1],
    ['another cursor and another page', (page) => ({ tools: [toolAt(page)], nextCursor: `c${page}` }), 20],
    ['no tools', (page) => ({ tools: page === 0 ? [toolAt(0)] : [], nextCursor: `c${page}` }), 1],
    [
      'too many tools',
      (page) => ({
        tools: Array.from({ length: 400 }, (_tool, index) => toolAt(page * 400 + index)),
        nextCursor: `c${page}`,
      }),
      400,
    ],
  ])('are limited in an endless list with %s', async (_what, pageAt, kept) => {
    const { id } = await servers.add(scripted.url);
    let page = 0;
    scripted.intercept = (request, response) => {
      if (request.method !== 'tools/list') return false;
      answer(response, request.id, pageAt(page++));
      return true;
    };
    const { body } = await admin.post<McpServerTestDto>(`${MCP_SERVERS}/${id}/test`);
    expect(body.data).toMatchObject({ ok: false, reason: 'too_many_tools', tools: kept, protocol: expect.any(String) });
    const listed = await servers.toolsOf(id);
    // At most one page.
    expect(listed).toHaveLength(Math.min(kept, 100));
    expect(listed.flatMap(({ problems }) => problems)).toEqual([]);
    const { body: found } = await admin.get<McpServerDto>(`${MCP_SERVERS}/${id}`);
    expect(found.data.fault).toBe('too_many_tools');
  });
});
