// @databases sqlite: the stored form of secrets is the same on each engine
import { Database } from '../../src/database/database';
import { eventually } from '../support/eventually';
import { callTool } from '../support/mcp/connecting';
import { addCompany, companyAdmin, ENTERPRISE, ENTERPRISE_SETTINGS, signInAs } from '../support/mcp/enterprise';
import { mcpServersOf } from '../support/mcp/mcp-servers';
import { ScriptedAuthority } from '../support/mcp/scripted-authority';
import { startScriptedMcpServer } from '../support/mcp/scripted-mcp-server';
import { FakeIssuer } from '../support/servers/fake-issuer';
import { createMigratedDatabase } from '../support/servers/migrated-database';
import { startTestApp } from '../support/test-app';

const FIRST = 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6';
const SECOND = 'Wq7nB2vKs9dLx4TzPf6HcRm1YjGu8EaZo3XiNt5C';

describe('a sign-in that was stored under another JWT_SECRET', () => {
  it('can be exchanged after that secret has been removed, once it was re-encrypted', async () => {
    const [database, issuer, scripted] = await Promise.all([
      createMigratedDatabase(),
      FakeIssuer.start(),
      startScriptedMcpServer(),
    ]);
    scripted.tools = [{ name: 'whoami', annotations: { readOnlyHint: true } }];
    const authority = await ScriptedAuthority.start(scripted);
    const start = (secrets: Record<string, string>) =>
      startTestApp({ ...ENTERPRISE_SETTINGS, DATABASE_URL: database.url, ...secrets });
    try {
      const first = await start({ JWT_SECRET: FIRST });
      const { first: admin } = await addCompany(first, issuer);
      const { id, label } = await mcpServersOf(admin).add(scripted.url, ENTERPRISE);
      const servers = mcpServersOf(await companyAdmin(first, issuer));
      for (const tool of await servers.refresh(id)) await servers.decide(id, tool);
      const { sub, userId } = await signInAs(first, issuer);
      const kept = (app: typeof first) =>
        app.app.get(Database).manager.query<object[]>(`SELECT assertion FROM sessions WHERE user_id = ${userId}`);
      const sealed = await kept(first);
      await first.close();
      const rotating = await start({ JWT_SECRET: SECOND, JWT_SECRET_PREVIOUS: FIRST });
      await eventually(async () => JSON.stringify(await kept(rotating)) !== JSON.stringify(sealed));
      await rotating.close();
      const last = await start({ JWT_SECRET: SECOND });
      expect(await callTool(last, `${label}__whoami`, userId)).toBe('Called whoami with {}.');
      expect(authority.subjectOf(scripted.requests.at(-1)?.headers.authorization)).toBe(sub);
      await last.close();
    } finally {
      await authority.close();
      await scripted.close();
      await issuer.close();
      await database.drop();
    }
  });
});
