import { startScriptedMcpServer } from '../support/mcp/scripted-mcp-server';
import { useOwnChatApp } from '../support/use-app';
import { NOT_RUN, RUN } from './conformance/scenarios';
import { type Plan, ServiceClient } from './conformance/service-client';
import { type Check, type Findings, listedScenarios, runSuite, type Scenario } from './conformance/suite';

/** By the names in the list of scenarios: the versions of the protocol, and its extensions. */
const SUITES = {
  '2025-03-26': ['all', '--spec-version', '2025-03-26'],
  '2025-11-25': ['all', '--spec-version', '2025-11-25'],
  '2026-07-28': ['all', '--spec-version', '2026-07-28'],
  extension: ['extensions'],
};

/** A busy machine takes minutes. */
const LONGEST_MILLISECONDS = 600_000;

/**
 * The client suites of `@modelcontextprotocol/conformance` with the service: each scenario is an MCP server that an
 * administrator adds, that users sign in to, and that an agent uses.
 */
describe('the conformance suites of MCP', () => {
  const app = useOwnChatApp({ TAINT_RULE: 'false', MCP_ALLOWED_HOSTS: '127.0.0.1,localhost' });
  let listed: Map<string, string[]>;
  let findings: Findings[];

  beforeAll(async () => {
    // The one-time cost of the first server must not count as the time of a scenario.
    const scripted = await startScriptedMcpServer();
    await (await ServiceClient.of(app)).use(scripted.url);
    await scripted.close();
    let last: Promise<unknown> = Promise.resolve();
    /** One after the other, because the suites start all scenarios concurrently. */
    const use = (scenario: Scenario): Promise<unknown> => {
      const used = last.then(async () => {
        const plan = RUN[scenario.name];
        // No user may start as many connections as all of them need.
        if (plan !== undefined) await (await ServiceClient.of(app)).use(scenario.url, completed(plan, scenario));
      });
      last = used.catch(() => undefined);
      return used;
    };
    listed = await listedScenarios();
    findings = [];
    for (const suite of Object.values(SUITES)) findings.push(await runSuite(suite, use));
  }, LONGEST_MILLISECONDS);

  it('have no scenario that neither runs nor is listed here with a reason', () => {
    expect([...listed.keys()].sort()).toEqual([...Object.keys(RUN), ...Object.keys(NOT_RUN)].sort());
  });

  it.each(Object.entries(RUN))('%s', (name, { isRefused = false }) => {
    const ran = findings.filter(({ checks }) => checks.has(name));
    expect(ran).toHaveLength(listed.get(name)?.filter((suite) => suite in SUITES).length ?? 0);
    for (const { checks, faults } of ran) {
      const found = checks.get(name) ?? [];
      const fault = isRefused ? expect.stringContaining('MCP_SERVER_ERROR') : undefined;
      expect([faults.get(name), ...found.filter(isBad).map(told)]).toEqual([fault]);
      expect(found.some(({ status }) => status === 'SUCCESS')).toBe(true);
    }
  });
});

/** Some scenarios specify the calls, and the registered client. */
function completed(
  { server, calls }: Plan,
  { context: { toolCalls, client_id, client_secret } }: Pick<Scenario, 'context'>,
): Plan {
  const wanted = toolCalls?.map(({ name, arguments: given }): [string, unknown] => [name, withoutNull(given)]);
  return {
    server: { ...server, ...(client_id !== undefined && { client_id, client_secret }) },
    ...(wanted === undefined ? calls && { calls } : { calls: () => wanted }),
  };
}

/** A model omits an argument instead of sending null, which the schemas do not accept. */
function withoutNull(given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

const isBad = ({ status }: Check): boolean => status === 'FAILURE' || status === 'WARNING';

const told = ({ id, name, description, errorMessage }: Check): string =>
  `${id} (${name}): ${errorMessage ?? description}`;
