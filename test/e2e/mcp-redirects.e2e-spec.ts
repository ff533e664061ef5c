import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NameResolver } from '../../src/common/network/name-resolver';
import type { McpServerTestDto } from '../../src/modules/mcp/administration/mcp-server.dto';
import { MCP_SERVERS, mcpServersOf } from '../support/mcp/mcp-servers';
import { type ScriptedMcpServer, startScriptedMcpServer } from '../support/mcp/scripted-mcp-server';
import { made, useAdmin, useTestApp } from '../support/use-app';

describe('MCP tools behind redirected addresses', () => {
  const app = useTestApp();
  const admin = useAdmin(app);
  const servers = made(beforeAll, () => Promise.resolve(mcpServersOf(admin)));
  let scripted: ScriptedMcpServer;

  beforeEach(async () => {
    scripted = await startScriptedMcpServer();
    scripted.tools = [{ name: 'look' }];
  });

  afterEach(() => scripted.close());

  const reasonOf = async (id: number) =>
    (await admin.post<McpServerTestDto>(`${MCP_SERVERS}/${id}/test`)).body.data.reason;

  let asked = 0;
  const canary = createServer((_request, response) => {
    asked++;
    response.end('secret');
  });

  beforeAll(() => new Promise<void>((resolve) => canary.listen(0, '127.0.0.2', resolve)));
  afterAll(() => void canary.close());

  it.each([301, 302, 307, 308])('are not called through a redirect (%i)', async (status) => {
    const { id } = await servers.add(scripted.url, { headers: { 'X-Key': 'secret' } });
    const location = `http://127.0.0.2:${(canary.address() as AddressInfo).port}/mcp`;
    scripted.intercept = (_request, response) => Boolean(response.writeHead(status, { location }).end());
    expect(await reasonOf(id)).not.toBeNull();
    expect(asked).toBe(0);
  });

  it('are not called at a new address of the name', async () => {
    const resolver = app.app.get(NameResolver, { strict: false, each: true });
    const port = (canary.address() as AddressInfo).port;
    const answers = [['93.184.216.34'], ['127.0.0.2']];
    const spies = resolver.map((each) =>
      jest.spyOn(each, 'resolvePublic').mockImplementation(() => Promise.resolve(answers.shift() ?? ['127.0.0.2'])),
    );
    try {
      const { id } = await servers.add(`https://rebound.example.com:${port}/mcp`);
      expect(await reasonOf(id)).toBe('forbidden');
      expect(asked).toBe(0);
    } finally {
      spies.forEach((spy) => spy.mockRestore());
    }
  });
});
