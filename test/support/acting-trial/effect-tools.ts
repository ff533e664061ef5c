import { randomInt } from 'node:crypto';
import type { AdminClient } from '../admin-client';
import { MCP_SERVERS, mcpServersOf } from '../mcp/mcp-servers';
import { type ScriptedMcpServer, startScriptedMcpServer } from '../mcp/scripted-mcp-server';
import type { EffectRequest, EffectServer } from './effect-server';
import { KINDS, PREFIX, SERVED } from './tool-kinds';

const INPUT = {
  type: 'object',
  properties: { what: { type: 'string' }, how: { type: 'string' } },
  required: ['what', 'how'],
};

/** An MCP server whose effects are counted together with those of the module, in either version of the protocol. */
export async function startEffectTools(effects: EffectServer): Promise<ScriptedMcpServer> {
  const server = await startScriptedMcpServer();
  return Object.assign(server, {
    isModern: randomInt(2) === 1,
    tools: Object.entries(KINDS).map(([name, { isIdempotent, isReadOnly }]) => ({
      name,
      inputSchema: INPUT,
      annotations: { idempotentHint: isIdempotent === true, readOnlyHint: isReadOnly === true },
    })),
    intercept: ({ id, method, params = {} }, response) => {
      if (method !== 'tools/call') {
        return false;
      }
      const { what, how } = params.arguments as Pick<EffectRequest, 'what' | 'how'>;
      const told = (text: string, isError = false): string => {
        const content = [{ type: 'text', text }];
        return JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', content, isError } });
      };
      response.setHeader('content-type', 'application/json');
      const call = { tool: PREFIX + String(params.name), what, how, key: String(params._meta?.idempotencyKey) };
      void effects.treat(call, response, { told, refuse: () => response.end(told(`No room for ${what}.`, true)) });
      return true;
    },
  } satisfies Partial<ScriptedMcpServer>);
}

/** Registers its tools in the service. */
export async function addEffectTools(admin: AdminClient, url: string): Promise<void> {
  const servers = mcpServersOf(admin);
  const added = await admin.post<{ id: number }>(MCP_SERVERS, {
    label: SERVED,
    url,
    trust_annotations: true,
    timeout: 1,
  });
  const { id } = added.body.data;
  await Promise.all((await servers.refresh(id)).map((tool) => servers.decide(id, tool)));
}
