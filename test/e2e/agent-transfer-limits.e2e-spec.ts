import { AgentStore } from '../../src/modules/agent/editing/agent.store';
import type { AgentDocumentDto, ImportReportDto } from '../../src/modules/agent/transfer/agent-document.dto';
import { createAdmin, createUser } from '../support/accounts';
import { type Answer, call, expectFailure } from '../support/http';
import { useOwnTestApp } from '../support/use-app';
import type { Envelope } from './agent-requests';

/** The maximum number of values in a body, in all lists and objects together, and the maximum size of a document. */
const MOST_VALUES = 20_000;
const MOST_BYTES = 10 * 1_048_576;

/** The number of values in a JSON value: the members of each list and object; an empty one counts as one. */
function valuesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) {
    return 0;
  }
  const members: unknown[] = Object.values(value);
  return members.reduce<number>((sum, member) => sum + valuesOf(member), Math.max(1, members.length));
}

describe('the largest document of agents', () => {
  const app = useOwnTestApp();
  let token: string;
  let starters: AgentDocumentDto;

  beforeAll(async () => {
    token = (await createAdmin(app)).token;
    starters = await exported();
  });

  const exported = async () =>
    (await call<Envelope<AgentDocumentDto>>(`${app.url}/agents/export`, { token })).body.data;
  const importing = (raw: string, mode = 'sync'): Promise<Answer<Envelope<ImportReportDto>>> =>
    call(`${app.url}/agents/import?mode=${mode}`, { token, raw, headers: { 'content-type': 'application/json' } });

  async function expectRefused(raw: string, status: number, code: string): Promise<Record<string, unknown>> {
    const before = await exported();
    const { details } = expectFailure(await importing(raw), status, code);
    expect(await exported()).toEqual(before);
    return details;
  }

  it('is an export of the maximum number of values, and of no more', async () => {
    const [sample] = starters.agents;
    const count = Math.floor((MOST_VALUES - 1) / (valuesOf({ ...sample, tags: ['a'] }) + 1));
    expect(count).toBeGreaterThan(500);
    const agents = Array.from({ length: count }, (_agent, index) => {
      return { ...sample, name: `Agent ${String(index).padStart(4, '0')}`, is_default: index === 0, tags: ['a'] };
    });
    const { tags } = agents.at(-1) as { tags: string[] };
    while (valuesOf({ agents }) < MOST_VALUES) {
      tags.push(`tag ${tags.length}`);
    }
    const { created, removed } = (await importing(JSON.stringify({ agents }))).body.data;
    expect([created, removed]).toEqual([count, starters.agents.length]);
    const document = await exported();
    expect(document).toEqual({ agents });
    expect((await importing(JSON.stringify(document), 'merge')).body.data.unchanged).toBe(count);
    tags.push('one more');
    const details = await expectRefused(JSON.stringify({ agents }), 422, 'VALIDATION_ERROR');
    expect(details).toMatchObject({ field: 'body', reason: 'too_many_items' });
  });

  it('has ten mebibytes, and not one byte more', async () => {
    const agents = Array.from({ length: 170 }, (_agent, index) => ({
      name: `Agent ${index}`,
      system_prompt: '日'.repeat(20_000),
    }));
    const raw = JSON.stringify({ agents });
    const blanks = ' '.repeat(MOST_BYTES - Buffer.byteLength(raw));
    expect((await importing(raw + blanks)).body.data.created).toBe(170);
    await expectRefused(`${raw}${blanks} `, 413, 'PAYLOAD_TOO_LARGE');
  });

  it('has 5,000 agents, if they are small', async () => {
    const named = (count: number) => JSON.stringify({ agents: Array.from({ length: count }, () => ({ name: 'One' })) });
    expect(await expectRefused(named(5_000), 422, 'VALIDATION_ERROR')).toMatchObject({ reason: 'duplicate' });
    const details = await expectRefused(named(5_001), 422, 'VALIDATION_ERROR');
    expect(details).toMatchObject({ field: 'agents', reason: 'too_many_items' });
  });

  it('does not block other requests while its references are checked', async () => {
    const agents = Array.from({ length: 100 }, (_agent, index) => ({
      name: `One with a model ${index}`,
      fallback_models: [`model ${index}`],
    }));
    const store = app.app.get(AgentStore);
    const check = store.assertUsable.bind(store);
    const checks = new Map<number, number>();
    let turn = 0;
    jest.spyOn(store, 'assertUsable').mockImplementation((...references) => {
      checks.set(turn, (checks.get(turn) ?? 0) + 1);
      setImmediate(() => turn++);
      return check(...references);
    });
    expect((await importing(JSON.stringify({ agents }), 'merge')).body.data.created).toBe(100);
    jest.restoreAllMocks();
    expect(Math.max(...checks.values())).toBeLessThanOrEqual(12);
  });

  it('does not block other requests while it is imported', async () => {
    const agents = Array.from({ length: 1_000 }, (_agent, index) => ({ name: `One of many ${index}` }));
    const user = await createUser(app);
    const served: number[] = [];
    const importing1000 = importing(JSON.stringify({ agents }), 'merge').finally(() => served.push(0));
    while (!served.includes(0)) served.push((await call(`${app.url}/chat`, { token: user.token, body: {} })).status);
    expect((await importing1000).body.data.created).toBe(1_000);
    // The last one may have been answered after the import.
    expect(served.slice(0, served.indexOf(0)).filter((status) => status === 201).length).toBeGreaterThan(10);
  });
});
