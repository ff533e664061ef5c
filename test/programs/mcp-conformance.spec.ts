import { startScriptedMcpServer } from '../support/mcp/scripted-mcp-server';
import { made, useOwnChatApp } from '../support/use-app';
import { type Plan, ServiceClient } from './conformance/service-client';
import { type Check, type Findings, listedScenarios, runSuite, type Scenario } from './conformance/suite';

const RUN: Record<string, Plan | undefined> = {
  initialize: undefined,
  tools_call: () => [['add_numbers', { a: 5, b: 3 }]],
  'request-metadata': undefined,
  'http-standard-headers': undefined,
  'http-custom-headers': undefined,
  'http-invalid-tool-headers': undefined,
  'json-schema-ref-no-deref': () => [['lookup_user', { id: 'x' }]],
  'json-schema-2020-12-preservation': (offered) => {
    const schema = offered.find(({ name }) => name === 'json_schema_2020_12_tool')?.parameters;
    return [['json_schema_echo', { schema }]];
  },
};

const NO_SKILLS = 'Of servers, agents get tools alone, and no skills.';
const NO_QUESTIONS = 'Nobody answers the scenarios’ questions yet: test/e2e/mcp-questions has such servers.';
const NO_SIGN_IN = 'Nobody connects by the scenarios’ own pages yet: test/e2e/mcp-connections has such servers.';
const NO_DPOP = 'Tokens are bearer tokens.';
const NO_KEY_OF_ITS_OWN = 'The service proves who it is by a secret, or by nothing.';

/** What the suites have and the service does not, and why. */
const NOT_RUN: Record<string, string> = {
  'elicitation-sep1034-client-defaults': NO_QUESTIONS,
  'sep-2322-client-request-state': NO_QUESTIONS,
  'sse-retry': 'A call that was cut is not resumed: whoever waits for it hears of it.',
  'sep-2640-client-no-prefetch': NO_SKILLS,
  'sep-2640-client-verify-digest': NO_SKILLS,
  'sep-2640-client-verify-size': NO_SKILLS,
  'sep-2640-client-verify-frontmatter': NO_SKILLS,
  'auth/dpop': NO_DPOP,
  'auth/dpop-nonce': NO_DPOP,
  'auth/client-credentials-jwt': NO_KEY_OF_ITS_OWN,
  'auth/wif-jwt-bearer': NO_KEY_OF_ITS_OWN,
  'auth/enterprise-managed-authorization': 'It runs with a provider of its own: mcp-enterprise.spec.ts.',
  ...Object.fromEntries(
    [
      'metadata-default',
      'metadata-var1',
      'metadata-var2',
      'metadata-var3',
      'basic-cimd',
      'scope-from-www-authenticate',
      'scope-from-scopes-supported',
      'scope-omitted-when-undefined',
      'scope-step-up',
      'scope-retry-limit',
      'token-endpoint-auth-basic',
      'token-endpoint-auth-post',
      'token-endpoint-auth-none',
      'pre-registration',
      '2025-03-26-oauth-metadata-backcompat',
      '2025-03-26-oauth-endpoint-fallback',
      'resource-mismatch',
      'offline-access-scope',
      'offline-access-not-supported',
      'authorization-server-migration',
      'iss-supported',
      'iss-not-advertised',
      'iss-supported-missing',
      'iss-wrong-issuer',
      'iss-unexpected',
      'iss-normalized',
      'metadata-issuer-mismatch',
      'client-credentials-basic',
    ].map((name) => [`auth/${name}`, NO_SIGN_IN]),
  ),
};

/** The versions of the protocol that the service speaks. */
const VERSIONS = ['2025-11-25', '2026-07-28'];

/** A machine that is busy otherwise takes minutes. */
const LONGEST_MILLISECONDS = 600_000;

/**
 * The suites for clients of `@modelcontextprotocol/conformance` against the service: each scenario is a server of tools that an
 * administrator adds, and that an agent uses.
 */
describe('the conformance suites of MCP', () => {
  const app = useOwnChatApp({ TAINT_RULE: 'false', MCP_ALLOWED_HOSTS: '127.0.0.1,localhost' });
  const client = made(beforeAll, () => ServiceClient.of(app));
  let listed: Map<string, string[]>;
  let findings: Findings[];

  /** Some scenarios say themselves which calls they want. */
  const planOf = ({ name, context }: Scenario): Plan | undefined =>
    context.toolCalls === undefined
      ? RUN[name]
      : () => (context.toolCalls ?? []).map(({ name: tool, arguments: given }) => [tool, withoutNull(given)]);

  beforeAll(async () => {
    // What the first server costs that is ever asked must not count as the time of a scenario.
    const scripted = await startScriptedMcpServer();
    await client.use(scripted.url);
    await scripted.close();
    let last: Promise<unknown> = Promise.resolve();
    /** One after the other: the suites start all scenarios at once. */
    const use = (scenario: Scenario): Promise<unknown> => {
      const used = last.then(async () => {
        if (scenario.name in RUN) await client.use(scenario.url, planOf(scenario));
      });
      last = used.catch(() => undefined);
      return used;
    };
    listed = await listedScenarios();
    findings = [];
    for (const version of VERSIONS) findings.push(await runSuite(version, use));
  }, LONGEST_MILLISECONDS);

  it('have no scenario that neither runs nor is named here with a reason', () => {
    expect([...listed.keys()].sort()).toEqual([...Object.keys(RUN), ...Object.keys(NOT_RUN)].sort());
  });

  it.each(Object.keys(RUN))('%s', (name) => {
    const versions = listed.get(name) ?? [];
    const ran = findings.filter(({ checks }) => checks.has(name));
    expect(ran).toHaveLength(versions.filter((version) => VERSIONS.includes(version)).length);
    for (const { checks, faults } of ran) {
      const found = checks.get(name) ?? [];
      expect([faults.get(name), ...found.filter(isBad).map(told)]).toEqual([undefined]);
      expect(found.some(({ status }) => status === 'SUCCESS')).toBe(true);
    }
  });
});

/** A model that leaves an argument out says the same as one that sends null, which the schemas do not take. */
function withoutNull(given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

const isBad = ({ status }: Check): boolean => status === 'FAILURE' || status === 'WARNING';

const told = ({ id, name, description, errorMessage }: Check): string =>
  `${id} (${name}): ${errorMessage ?? description}`;
