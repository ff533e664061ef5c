import { STATUS_CODES } from 'node:http';
import { ServiceUnavailableError } from '../../src/common/errors/common.errors';
import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import type { McpServerDto } from '../../src/modules/mcp/administration/mcp-server.dto';
import { McpToolStore } from '../../src/modules/mcp/tools/mcp-tool.store';
import { newcomer } from '../support/accounts';
import { resultsOf } from '../support/acting';
import { expectFailure } from '../support/http';
import { useMcpCalls } from '../support/mcp/mcp-calls';
import { MCP_SERVERS } from '../support/mcp/mcp-servers';
import { beginSession, stream } from '../support/mcp/scripted-mcp-server';

describe('agents whose MCP servers fail', () => {
  const { app, admin, client, servers, scripted, trusted, chatWith, asking, actionOf, approve, decide } = useMcpCalls();

  it.each(['look', 'book'])('repeat %s only if that is harmless', async (tool) => {
    const { label } = await trusted();
    scripted.intercept = (request, response) => {
      if (request.method === 'tools/call') response.socket?.destroy();
      return request.method === 'tools/call';
    };
    const chatId = await chatWith({ name: `${label}__${tool}`, policy: 'auto' });
    const { reply } = await asking(chatId, `${label}__${tool}`, { what: 'x' });
    expect(scripted.calls()).toHaveLength(tool === 'look' ? 3 : 1);
    if (tool === 'look') {
      expect(resultsOf(reply)).toEqual([
        'The tool did not respond, but it may have acted. Check its effect before you call it again.',
      ]);
      const keys = scripted.calls().map(({ params }) => params?._meta?.idempotencyKey);
      expect(new Set(keys).size).toBe(1);
    } else {
      expect(await actionOf(chatId)).toMatchObject({ kind: 'unknown' });
    }
  });

  it.each([400, 401, 403, 404, 413])('fail once if a server refuses a call with %i', async (status) => {
    const { label } = await trusted();
    scripted.intercept = (request, response) =>
      request.method === 'tools/call' && Boolean(response.writeHead(status).end());
    const chatId = await chatWith(
      { name: `${label}__look`, policy: 'auto' },
      { name: `${label}__book`, policy: 'auto' },
    );
    for (const tool of ['look', 'book']) {
      const before = scripted.calls().length;
      const { reply } = await asking(chatId, `${label}__${tool}`, { what: 'x' });
      expect(reply).toMatchObject({ status: 'completed' });
      expect(reply.parts).toContainEqual(expect.objectContaining({ type: 'tool_call', state: 'failed' }));
      expect(resultsOf(reply)).toEqual([`The server refused the call with HTTP ${status} (${STATUS_CODES[status]}).`]);
      expect(scripted.calls().length - before).toBe(1);
    }
  });

  it.each([408, 429])('repeat a call that is answered with %i if that is harmless', async (status) => {
    const { label } = await trusted();
    scripted.intercept = (request, response) =>
      request.method === 'tools/call' && scripted.calls().length < 3 && Boolean(response.writeHead(status).end());
    const chatId = await chatWith({ name: `${label}__look`, policy: 'auto' });
    const { reply } = await asking(chatId, `${label}__look`);
    expect(resultsOf(reply)).toEqual(['Called look with {}.']);
    expect(scripted.calls()).toHaveLength(3);
  });

  it.each<[string, (server: McpServerDto) => Promise<unknown> | void]>([
    [
      'refuses it then',
      () => {
        scripted.intercept = (request, response) => {
          if (request.method !== 'tools/call') return false;
          const refusal = { jsonrpc: '2.0', id: request.id, error: { code: -32_602, message: 'No.' } };
          response.writeHead(200, { 'content-type': 'application/json' });
          return Boolean(response.end(JSON.stringify(refusal)));
        };
      },
    ],
    [
      'cannot be reached then',
      () => {
        scripted.intercept = (_request, response) => Boolean(response.destroy());
      },
    ],
    [
      'cannot be asked for its list then',
      () => {
        app.advanceClock(61_000);
        scripted.intercept = (_request, response) => Boolean(response.writeHead(503).end());
      },
    ],
    ['is switched off then', ({ id }) => admin.put(`${MCP_SERVERS}/${id}`, { is_active: false })],
  ])('require approval again for a call that a user has repeated, and whose server %s', async (_what, fail) => {
    const server = await trusted();
    const tool = `${server.label}__book`;
    scripted.intercept = (request, response) => request.method === 'tools/call' && Boolean(response.destroy());
    const chatId = await chatWith({ name: tool, policy: 'auto' });
    await asking(chatId, tool, { what: 'x' });
    const unknown = await actionOf(chatId);
    await fail(server);
    const body = { decision: 'retry', arguments_hash: unknown.arguments_hash };
    expect((await decide(chatId, unknown.id, body)).body[1].status).toBe('requires_action');
    const again = await actionOf(chatId);
    expect(again).toMatchObject({ kind: 'unknown', state: 'open' });
    expect(again.id).not.toBe(unknown.id);
    const last = { decision: 'failed', arguments_hash: again.arguments_hash };
    expect((await decide(chatId, again.id, last)).body[1].status).toBe('completed');
  });

  it('make an approved call even if the database fails while its server’s list is refreshed', async () => {
    const { label } = await trusted();
    const chatId = await chatWith({ name: `${label}__book` });
    await asking(chatId, `${label}__book`, { what: 'a room' });
    app.advanceClock(61_000);
    const failing = jest.spyOn(app.app.get(McpToolStore), 'of').mockRejectedValueOnce(new ServiceUnavailableError());
    const { parts } = await approve(chatId, await actionOf(chatId));
    expect(failing).toHaveBeenCalledTimes(2);
    expect(parts).toContainEqual(expect.objectContaining({ type: 'tool_call', state: 'succeeded' }));
    expect(scripted.calls()).toHaveLength(1);
  });

  it('do not report that nothing was done if a first attempt had no answer, and a second one is refused', async () => {
    scripted.tools = [{ name: 'note', annotations: { idempotentHint: true } }];
    scripted.intercept = (request, response) => {
      if (request.method !== 'tools/call') return false;
      if (scripted.calls().length === 1) return Boolean(response.destroy());
      const refusal = { jsonrpc: '2.0', id: request.id, error: { code: -32_602, message: 'No.' } };
      response.writeHead(200, { 'content-type': 'application/json' });
      return Boolean(response.end(JSON.stringify(refusal)));
    };
    const { label } = await trusted();
    const chatId = await chatWith({ name: `${label}__note`, policy: 'auto' });
    const { reply } = await asking(chatId, `${label}__note`);
    expect(resultsOf(reply)).toEqual([
      'The tool did not respond, but it may have acted. Check its effect before you call it again.',
    ]);
    expect(scripted.calls()).toHaveLength(2);
  });

  it('do not wait longer than the server’s time limit, whatever it sends', async () => {
    const { label } = await trusted({ timeout: 1 });
    let pings: NodeJS.Timeout | undefined;
    scripted.intercept = (request, response) => {
      if (request.method !== 'tools/call') return false;
      const send = stream(response);
      pings = setInterval(() => send({ method: 'notifications/message', params: { level: 'info', data: 'x' } }), 50);
      return true;
    };
    const chatId = await chatWith({ name: `${label}__book`, policy: 'auto' });
    await asking(chatId, `${label}__book`, { what: 'x' });
    clearInterval(pings);
    expect(await actionOf(chatId)).toMatchObject({ kind: 'unknown' });
    expect(scripted.requests.map(({ method }) => method)).toContain('notifications/cancelled');
  });

  it.each([
    ['with a notification', false],
    ['by ending the request (2026-07-28)', true],
  ])('cancel an unneeded call %s', async (_how, isModern) => {
    scripted.isModern = isModern;
    const { label } = await trusted();
    let isAsked: () => void = () => undefined;
    let isTold: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const told = new Promise<void>((resolve) => (isTold = resolve));
    scripted.intercept = (request, response) => {
      if (request.method === 'notifications/cancelled') isTold();
      if (request.method !== 'tools/call') return false;
      if (isModern) response.on('close', isTold);
      stream(response);
      isAsked();
      return true;
    };
    const chatId = await chatWith({ name: `${label}__look` });
    const replying = asking(chatId, `${label}__look`);
    await asked;
    await client.stop(chatId);
    await told;
    expect((await replying).reply.status).toBe('stopped');
  });

  it.each<[string, (send: (message: object) => boolean) => void]>([
    [
      'more than four megabytes',
      (send) => {
        for (let sent = 0; sent < 50; sent++)
          send({ method: 'notifications/message', params: { data: 'x'.repeat(1e6) } });
      },
    ],
    [
      'more than a thousand notifications',
      (send) => {
        for (let sent = 0; sent < 1_100; sent++) send({ method: 'notifications/message', params: { data: 'x' } });
      },
    ],
  ])('stop reading from a server that sends %s', async (_what, flood) => {
    const { label } = await trusted();
    scripted.intercept = (request, response) => {
      if (request.method !== 'tools/call') return false;
      flood(stream(response));
      return true;
    };
    const chatId = await chatWith({ name: `${label}__book`, policy: 'auto' });
    await asking(chatId, `${label}__book`, { what: 'x' });
    expect(await actionOf(chatId)).toMatchObject({ kind: 'unknown' });
  });

  it('learn immediately that a server ended its answer without a result', async () => {
    const { label } = await trusted();
    scripted.intercept = (request, response) => {
      if (request.method !== 'tools/call') return false;
      stream(response);
      response.end();
      return true;
    };
    const chatId = await chatWith({ name: `${label}__book`, policy: 'auto' });
    await asking(chatId, `${label}__book`, { what: 'x' });
    expect(await actionOf(chatId)).toMatchObject({ kind: 'unknown' });
  });

  it('lose the tools of a deleted server, and get none from another with its label', async () => {
    const { id, label } = await trusted();
    const tools = [{ name: `${label}__look` }, { name: 'current_time' }];
    const { data: agent } = (await admin.post<AgentAdminDto>('/agents', { name: newcomer().username, tools })).body;
    const { details } = expectFailure(await admin.delete(`${MCP_SERVERS}/${id}`), 409, 'MCP_SERVER_IN_USE');
    expect(details).toEqual({ count: 1 });
    expect((await admin.delete(`${MCP_SERVERS}/${id}?force=true`)).status).toBe(200);
    expect((await admin.get<AgentAdminDto>(`/agents/${agent.id}`)).body.data.tools).toEqual([{ name: 'current_time' }]);
    const again = (await admin.post<McpServerDto>(MCP_SERVERS, { label, url: scripted.url })).body.data;
    expect((await servers.refresh(again.id)).map(({ state }) => state)).toEqual(['quarantined', 'quarantined']);
  });

  it('do not call a server that fails repeatedly for a while', async () => {
    const { id } = await trusted();
    app.freezeClock();
    scripted.intercept = (_request, response) => Boolean(response.writeHead(503).end());
    const reasons: unknown[] = [];
    for (let tries = 0; tries < 7; tries++) {
      reasons.push(
        expectFailure(await admin.post(`${MCP_SERVERS}/${id}/refresh`), 502, 'MCP_SERVER_ERROR').details.reason,
      );
    }
    expect(reasons).toEqual([...Array<string>(5).fill('failed'), 'left_alone', 'left_alone']);
    scripted.intercept = () => false;
    app.advanceClock(1_001);
    expect(await servers.refresh(id)).toHaveLength(2);
  });

  it('start a new session when the server has forgotten the old one', async () => {
    const { label } = await trusted();
    let sessions = 0;
    scripted.intercept = (request, response) => {
      return request.method === 'initialize' && beginSession(response, request.id, `s${++sessions}`);
    };
    const chatId = await chatWith({ name: `${label}__look` });
    await asking(chatId, `${label}__look`);
    const intercept = scripted.intercept;
    scripted.intercept = (request, response, message) => {
      if (message.headers['mcp-session-id'] === 's1') return Boolean(response.writeHead(404).end());
      return intercept(request, response, message);
    };
    const { reply } = await asking(chatId, `${label}__look`);
    expect(resultsOf(reply)).toEqual(['Called look with {}.']);
    expect(sessions).toBe(2);
  });
});
