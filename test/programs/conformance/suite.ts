import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { byNode } from '../program';

const PROGRAM = '@modelcontextprotocol/conformance/dist/index.js';
const CLIENT = join(__dirname, 'client.mjs');

/** The first release of Node that the suites run on. */
const OLDEST_NODE = 22;

/** For a scenario that waits for others, on a busy machine. */
const LONGEST_SCENARIO_MILLISECONDS = 300_000;

/** A server in the suites that waits for a client. */
export interface Scenario {
  name: string;
  version: string;
  url: string;
  /** Values that the client has to know in advance. */
  context: {
    toolCalls?: { name: string; arguments: Record<string, unknown> }[];
    client_id?: string;
    client_secret?: string;
  };
}

/** The result of a scenario. */
export interface Check {
  id: string;
  name: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  description: string;
  errorMessage?: string;
}

/** Scenarios for clients, and their versions, as the suites list them. */
export async function listedScenarios(): Promise<Map<string, string[]>> {
  const output = await run(['list', '--client']);
  const lines = [...output.matchAll(/^ {2}- (\S+) \[([^\]]*)\]$/gm)];
  return new Map(lines.map(([, name = '', versions = '']) => [name, versions.split(',')]));
}

/** The results of scenarios by their names, and the errors of the clients that failed. */
export interface Findings {
  checks: Map<string, Check[]>;
  faults: Map<string, string>;
}

/**
 * Runs all scenarios of a suite concurrently.
 *
 * @param suite its name, and options
 * @param client uses the server of a scenario
 */
export async function runSuite(suite: string[], client: (scenario: Scenario) => Promise<unknown>): Promise<Findings> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  const faults = new Map<string, string>();
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const scenario = JSON.parse(body) as Scenario;
      await client(scenario).catch((fault: unknown) => faults.set(scenario.name, String(fault)));
      response.end('used');
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const command = [process.execPath, CLIENT, address].join(' ');
  const options = ['--timeout', String(LONGEST_SCENARIO_MILLISECONDS), '-o', folder];
  try {
    await run(['client', '--suite', ...suite, '--command', command, ...options]);
    return { checks: await checksIn(folder), faults };
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The status shows whether all checks of all scenarios succeeded; the tests read them one by one. */
async function run(parameters: string[]): Promise<string> {
  const [node = '', ...program] = await byNode(OLDEST_NODE, PROGRAM);
  const options = { maxBuffer: 64 * 1_048_576 };
  return promisify(execFile)(node, [...program, ...parameters], options).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => {
      if (error.stdout?.includes('SUITE SUMMARY') !== true) throw error;
      return error.stdout;
    },
  );
}

/** The suites create a folder for each scenario, with the time after its name. */
async function checksIn(folder: string): Promise<Map<string, Check[]>> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('checks.json'));
  const found = files.map(async (file): Promise<[string, Check[]]> => {
    const name = file.replace(/-\d{4}-\d\d-\d\dT[\dZ-]+\/checks\.json$/, '');
    return [name, JSON.parse(await readFile(join(folder, file), 'utf8')) as Check[]];
  });
  return new Map(await Promise.all(found));
}
