import type { Plan } from './service-client';

/** A server at which each user signs in, and the scopes that an administrator allows there. */
const signedIn = (...scopes: string[]): Plan => ({ server: { auth: 'oauth_user', scopes } });

/** A scenario that must not succeed. */
const refused = (...scopes: string[]): Plan => ({ ...signedIn(...scopes), isRefused: true });

/** The scenarios to run, with their settings. */
export const RUN: Record<string, Plan> = {
  initialize: {},
  tools_call: { calls: () => [['add_numbers', { a: 5, b: 3 }]] },
  'request-metadata': {},
  'http-standard-headers': {},
  'http-custom-headers': {},
  'http-invalid-tool-headers': {},
  'json-schema-ref-no-deref': { calls: () => [['lookup_user', { id: 'x' }]] },
  'json-schema-2020-12-preservation': {
    calls: (offered) => {
      const schema = offered.find(({ name }) => name === 'json_schema_2020_12_tool')?.parameters;
      return [['json_schema_echo', { schema }]];
    },
  },
  'elicitation-sep1034-client-defaults': { server: { elicitation: 'form' } },
  'sep-2322-client-request-state': { server: { elicitation: 'form' } },
  'auth/metadata-default': signedIn(),
  'auth/metadata-var1': signedIn(),
  'auth/metadata-var2': signedIn(),
  'auth/metadata-var3': signedIn(),
  // The scenario accepts one document only, so an administrator names it: the service's own document is tested in
  // test/e2e/mcp-client-document.
  'auth/basic-cimd': {
    server: { ...signedIn().server, client_id: 'https://conformance-test.local/client-metadata.json' },
  },
  'auth/scope-from-www-authenticate': signedIn('mcp:basic', 'mcp:other'),
  'auth/scope-from-scopes-supported': signedIn('mcp:basic', 'mcp:read', 'mcp:write'),
  'auth/scope-omitted-when-undefined': signedIn(),
  'auth/scope-step-up': signedIn('mcp:basic', 'mcp:write'),
  'auth/scope-retry-limit': refused('mcp:admin'),
  'auth/token-endpoint-auth-basic': signedIn(),
  'auth/token-endpoint-auth-post': signedIn(),
  'auth/token-endpoint-auth-none': signedIn(),
  'auth/pre-registration': signedIn(),
  'auth/2025-03-26-oauth-metadata-backcompat': signedIn(),
  'auth/resource-mismatch': refused(),
  'auth/offline-access-scope': signedIn('mcp:basic', 'offline_access'),
  'auth/offline-access-not-supported': signedIn('mcp:basic', 'mcp:read', 'offline_access'),
  'auth/authorization-server-migration': signedIn('mcp:basic'),
  'auth/iss-supported': signedIn(),
  'auth/iss-not-advertised': signedIn(),
  'auth/iss-supported-missing': refused(),
  'auth/iss-wrong-issuer': refused(),
  'auth/iss-unexpected': refused(),
  'auth/iss-normalized': refused(),
  'auth/metadata-issuer-mismatch': refused(),
  'auth/client-credentials-basic': { server: { auth: 'oauth_service' } },
};

const NO_SKILLS = 'Of servers, agents get tools alone, and no skills.';
const NO_DPOP = 'Tokens are bearer tokens.';
const NO_KEY_OF_ITS_OWN = 'The service proves who it is by a secret, or by nothing.';

/** Features in the suites that the service does not have, and the reasons. */
export const NOT_RUN: Record<string, string> = {
  'sse-retry': 'A call that was cut is not resumed: whoever waits for it hears of it.',
  'sep-2640-client-no-prefetch': NO_SKILLS,
  'sep-2640-client-verify-digest': NO_SKILLS,
  'sep-2640-client-verify-size': NO_SKILLS,
  'sep-2640-client-verify-frontmatter': NO_SKILLS,
  'auth/2025-03-26-oauth-endpoint-fallback':
    'Its authorization server has no metadata, so nothing says that it knows PKCE, without which nobody is sent to one.',
  'auth/dpop': NO_DPOP,
  'auth/dpop-nonce': NO_DPOP,
  'auth/client-credentials-jwt': NO_KEY_OF_ITS_OWN,
  'auth/wif-jwt-bearer': NO_KEY_OF_ITS_OWN,
  'auth/enterprise-managed-authorization': 'It runs with a provider of its own: mcp-enterprise.spec.ts.',
};
