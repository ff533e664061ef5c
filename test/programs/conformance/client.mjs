/*
 * The client under test that the conformance suites start: it passes the scenario to the test, whose service is the
 * client, and exits when the test has used the server. `node client.mjs <address of the test> <address of the
 * scenario's server>`
 */
const [, , test, url] = process.argv;
const { MCP_CONFORMANCE_SCENARIO, MCP_CONFORMANCE_PROTOCOL_VERSION, MCP_CONFORMANCE_CONTEXT } = process.env;
const body = JSON.stringify({
  name: MCP_CONFORMANCE_SCENARIO,
  version: MCP_CONFORMANCE_PROTOCOL_VERSION,
  url,
  context: JSON.parse(MCP_CONFORMANCE_CONTEXT ?? '{}'),
});
await (await fetch(test, { method: 'POST', body })).text();
