import type { McpToolDto } from '../../src/modules/mcp/administration/mcp-tool.dto';
import type { ToolTestResultDto } from '../../src/modules/tool/tool.dto';
import { resultsOf } from '../support/acting';
import { expectFailure } from '../support/http';
import { useMcpCalls } from '../support/mcp/mcp-calls';
import { MCP_SERVERS } from '../support/mcp/mcp-servers';

/** Half a surrogate pair, as from a server that truncates texts naively. */
const HALF = '\ud83d';
const SHOWN = '\ufffd';

describe('a server that sends lone surrogates', () => {
  const { admin, servers, scripted, trusted, chatWith, asking, actionOf, decide } = useMcpCalls();

  const reading = (id: number, what: string) => admin.post<{ reason: string }>(`${MCP_SERVERS}/${id}/${what}`);

  it.each<[string, string[]]>([
    ['one name', ['look', `sur${HALF}`]],
    ['two names that a database takes for one', [`sur${HALF}`, 'sur\ud800']],
    ['a name with what ends texts elsewhere', ['look', 'sur\0']],
  ])('has an invalid list until it sends another, with %s', async (_what, names) => {
    const { id } = await servers.add(scripted.url);
    for (const round of ['first', 'second']) {
      scripted.tools = names.map((name) => ({ name }));
      const { details } = expectFailure(await reading(id, 'refresh'), 502, 'MCP_SERVER_ERROR');
      expect([round, details.reason]).toEqual([round, 'invalid']);
      expect((await reading(id, 'test')).body).toMatchObject({ data: { reason: 'invalid' } });
      scripted.tools = [{ name: 'look' }];
      expect((await servers.refresh(id)).map(({ name }) => name)).toEqual(['look']);
    }
  });

  it('has tools that can be approved, and stay approved, whatever else in them is broken', async () => {
    const { id } = await servers.add(scripted.url);
    scripted.tools = [
      {
        name: 'look',
        title: `Look${HALF}`,
        description: `Looks${HALF}`,
        inputSchema: { type: 'object', properties: { [`a${HALF}`]: { type: 'string', enum: [`b${HALF}`] } } },
        annotations: { title: `c${HALF}` },
      },
    ];
    const [found] = await servers.refresh(id);
    expect(found?.definition).toEqual({
      name: 'look',
      title: `Look${SHOWN}`,
      description: `Looks${SHOWN}`,
      inputSchema: { type: 'object', properties: { [`a${SHOWN}`]: { type: 'string', enum: [`b${SHOWN}`] } } },
      annotations: { title: `c${SHOWN}` },
    });
    expect((await servers.decide(id, found as McpToolDto)).status).toBe(200);
    expect(await servers.refresh(id)).toMatchObject([{ state: 'approved', pin: found?.pin }]);
  });

  it.each([
    ['what a tool returns', false],
    ['what a tool fails with', true],
  ])('has %s passed on without them', async (_what, isError) => {
    const { label } = await trusted();
    const name = `${label}__look`;
    scripted.results = () => ({ isError, content: [{ type: 'text', text: `Seen${HALF}` }] });
    const { reply } = await asking(await chatWith({ name }), name);
    expect([reply.status, resultsOf(reply)]).toEqual(['completed', [`Seen${SHOWN}`]]);
    const tried = await admin.post<ToolTestResultDto>(`/admin/tools/${name}/test`, { arguments: {} });
    expect(tried.body.data).toMatchObject({ content: `Seen${SHOWN}`, is_error: isError });
  });

  it('may ask with them, and receives exactly the value that it offered', async () => {
    scripted.isModern = true;
    const requestState = `state${HALF}`;
    const room = { type: 'string', title: `Room${HALF}` };
    const params = {
      message: `Which${HALF}?`,
      requestedSchema: { type: 'object', properties: { room }, required: ['room'] },
    };
    const inputRequests = { [`where${HALF}`]: { method: 'elicitation/create', params } };
    scripted.results = (request) =>
      request.params?.inputResponses ? 'Booked.' : { resultType: 'input_required', inputRequests, requestState };
    const { label } = await trusted({ elicitation: 'form' });
    const name = `${label}__look`;
    const chatId = await chatWith({ name, policy: 'auto' });
    expect((await asking(chatId, name)).reply.status).toBe('requires_action');
    const action = await actionOf(chatId);
    expect(action).toMatchObject({
      message: `Which${SHOWN}?`,
      schema: { properties: { room: { title: `Room${SHOWN}` } } },
    });
    const { arguments_hash } = action;
    const { body } = await decide(chatId, action.id, {
      decision: 'approve',
      arguments_hash,
      arguments: { room: 'blue' },
    });
    expect(resultsOf(body[1])).toEqual(['Booked.']);
    expect(scripted.calls().at(-1)?.params).toMatchObject({
      inputResponses: { [`where${HALF}`]: { action: 'accept', content: { room: 'blue' } } },
      requestState,
    });
  });
});
