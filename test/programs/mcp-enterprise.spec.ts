import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { callTool } from '../support/mcp/connecting';
import { addCompany, companyAdmin, ENTERPRISE_SETTINGS } from '../support/mcp/enterprise';
import { mcpServersOf } from '../support/mcp/mcp-servers';
import { FakeIssuer } from '../support/servers/fake-issuer';
import { made, useOwnChatApp } from '../support/use-app';
import type { Check } from './conformance/suite';
import { byNode } from './program';

const PROGRAM = '@modelcontextprotocol/conformance/dist/index.js';
const CLIENT = join(__dirname, 'conformance/client.mjs');

/** The first release of Node that the suites run on. */
const OLDEST_NODE = 22;

const LONGEST_MILLISECONDS = 300_000;

/** Values that the scenario passes to the client in advance. */
interface Told {
  url: string;
  context: Record<
    'client_id' | 'client_secret' | 'idp_client_id' | 'idp_id_token' | 'idp_issuer' | 'idp_token_endpoint',
    string
  >;
}

/**
 * The scenario has an ID token but no sign-in: users sign in with the tests' own provider, which forwards the exchange
 * to the scenario's.
 */
describe('the conformance scenario auth/enterprise-managed-authorization', () => {
  const app = useOwnChatApp({ ...ENTERPRISE_SETTINGS, MCP_ALLOWED_HOSTS: '127.0.0.1,localhost' });
  const issuer = made(beforeAll, () => FakeIssuer.start());
  const company = made(beforeAll, () => addCompany(app, issuer));

  afterAll(() => issuer.close());

  /** A company adds the server, approves its tools, and calls them. */
  async function use({ url, context }: Told): Promise<void> {
    issuer.exchange = (asked) => handOn(asked, context);
    const { client_id, client_secret } = context;
    const fields = { auth: 'enterprise', client_id, client_secret };
    const { id, label } = await mcpServersOf(company.first).add(url, fields);
    const admin = await companyAdmin(app, issuer);
    const servers = mcpServersOf(admin);
    for (const tool of await servers.refresh(id)) {
      await servers.decide(id, tool);
      await callTool(app, `${label}__${tool.name}`, admin.id);
    }
  }

  it(
    'succeeds',
    async () => {
      let fault: unknown;
      const checks = await run((told) => use(told).catch((error: unknown) => (fault = error)));
      expect(fault).toBeUndefined();
      expect(checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')).toEqual([]);
      const succeeded = checks.filter(({ status }) => status === 'SUCCESS').map(({ id }) => id);
      expect(succeeded).toEqual(expect.arrayContaining(['complete-flow-token-exchange', 'complete-flow-jwt-bearer']));
    },
    LONGEST_MILLISECONDS,
  );
});

/** The scenario's provider accepts only its own token and client. */
async function handOn(asked: URLSearchParams, context: Told['context']): Promise<object> {
  const body = new URLSearchParams(asked);
  body.set('subject_token', context.idp_id_token);
  body.set('client_id', context.idp_client_id);
  const answer = await fetch(context.idp_token_endpoint, { method: 'POST', body });
  return (await answer.json()) as object;
}

/** Runs one scenario, and returns its result. @param client uses its server */
async function run(client: (told: Told) => Promise<unknown>): Promise<Check[]> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      await client(JSON.parse(body) as Told);
      response.end('used');
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const command = [process.execPath, CLIENT, address].join(' ');
  const [node = '', ...program] = await byNode(OLDEST_NODE, PROGRAM);
  const scenario = ['--scenario', 'auth/enterprise-managed-authorization', '--command', command];
  const options = ['--timeout', String(LONGEST_MILLISECONDS), '-o', folder];
  try {
    // The status shows whether all checks succeeded; the test reads them one by one.
    await promisify(execFile)(node, [...program, 'client', ...scenario, ...options]).catch(() => undefined);
    const [file = ''] = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('checks.json'));
    return JSON.parse(await readFile(join(folder, file), 'utf8')) as Check[];
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}
