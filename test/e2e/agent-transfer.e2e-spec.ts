import { AgentStore } from '../../src/modules/agent/editing/agent.store';
import type { AgentDocumentDto, ImportReportDto } from '../../src/modules/agent/transfer/agent-document.dto';
import { createAdmin, createUser } from '../support/accounts';
import { type Answer, call, expectFailure } from '../support/http';
import { useOwnTestApp } from '../support/use-app';
import { type AgentRequest, agentRequests, createAgent, type Envelope } from './agent-requests';

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

const app = useOwnTestApp();

describe('agents as a document', () => {
  let request: AgentRequest;
  let starters: AgentDocumentDto;

  beforeAll(async () => {
    request = agentRequests(app, (await createAdmin(app)).token);
    starters = await exported();
  });

  beforeEach(() => importing(starters, '?mode=sync'));
  const exported = async () => (await request<AgentDocumentDto>('GET', '/export')).body.data;
  const importing = (document: unknown, mode = '') => request<ImportReportDto>('POST', `/import${mode}`, document);
  const counts = async (document: unknown, mode = '') => {
    const { body } = await importing(document, mode);
    const { created, updated, unchanged, removed } = body.data;
    return { created, updated, unchanged, removed };
  };

  it('is the same text while the agents are the same, without ids and times', async () => {
    await createAgent(request, { name: 'aardvark', model_params: { top_p: 1, temperature: 0 } });
    const document = await exported();
    expect(document.agents.map(({ name }) => name)).toEqual([
      'aardvark',
      'Code Assistant',
      'General Assistant',
      'Planner',
      'Translator',
      'Writing Assistant',
    ]);
    expect(JSON.stringify(document.agents[0])).toContain('"model_params":{"temperature":0,"top_p":1}');
    expect(Object.keys(document.agents[0]!)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^id$|_at$|version/)]),
    );
    expect(JSON.stringify(await exported())).toBe(JSON.stringify(document));
  });

  it('accepts `is_active` as the other routes do, unless the status is given', async () => {
    const agents = [
      { name: 'Planner', is_active: false },
      { name: 'Translator', is_active: true, status: 'draft' },
    ];
    expect(await counts({ agents })).toEqual({ created: 0, updated: 2, unchanged: 0, removed: 0 });
    const statuses = (await exported()).agents.map(({ name, status, is_active }) => [name, status, is_active]);
    expect(statuses).toEqual(
      expect.arrayContaining([
        ['Planner', 'disabled', undefined],
        ['Translator', 'draft', undefined],
      ]),
    );
  });

  it.each(['', '?mode=merge', '?mode=sync'])('changes nothing when its own export is imported (%s)', async (mode) => {
    const document = await exported();
    expect(await counts(document, mode)).toEqual({ created: 0, updated: 0, unchanged: 5, removed: 0 });
    expect(await exported()).toEqual(document);
  });

  it.each(['?mode=merge', '?mode=sync'])(
    'accepts the whole answer of the export, as saved in a file (%s)',
    async (mode) => {
      const extreme = {
        name: '\u{1F98A}'.repeat(64),
        description: '\u{1F98A}'.repeat(1_000),
        avatar: `/${'a'.repeat(254)}`,
        category: '',
        tags: Array.from({ length: 20 }, (_element, index) => String(index).padStart(32, 't')),
        opening_message: 'こ'.repeat(2_000),
        suggested_questions: Array.from({ length: 10 }, (_element, index) => String(index).padStart(300, 'q')),
        access_level: 'paid',
        status: 'disabled',
        sort_order: -1_000_000,
        system_prompt: '"\\\n\u{1F98A}'.repeat(5_000),
        provider: 'demo',
        model: 'm'.repeat(100),
        model_params: { temperature: 0, top_p: 1, max_tokens: 1, stop: ['a', 'b'], seed: 0, reasoning_effort: 'low' },
        fallback_models: ['a', 'demo:b', 'c'],
        context_max_messages: 10_000,
        context_max_tokens: 10_000_000,
        timeout_seconds: 86_400,
      };
      await createAgent(request, extreme);
      await createAgent(request, { name: 'Draft', status: 'draft', is_default: true, avatar: null });
      const gone = await createAgent(request, { name: 'Gone' });
      await request('DELETE', `/${gone.id}`);
      const { body: answer } = await request<AgentDocumentDto>('GET', '/export');
      const again = await importing(answer, mode);
      expect(again.body).toMatchObject({
        message: 'All agents already match the document. Nothing was changed.',
        data: { created: 0, updated: 0, unchanged: 7, removed: 0 },
      });
      await importing({ agents: [] }, '?mode=sync');
      const report = await importing(answer, mode);
      expect(report.body).toMatchObject({ message: 'Agents imported.', data: { created: 7 } });
      expect(await exported()).toEqual(answer.data);
    },
  );

  it('transfers all agents to another installation', async () => {
    const document = await exported();
    await importing({ agents: [] }, '?mode=sync');
    expect((await exported()).agents).toEqual([]);
    expect(await counts(document)).toEqual({ created: 5, updated: 0, unchanged: 0, removed: 0 });
    expect(await exported()).toEqual(document);
  });

  it('merges the named agents, and does not change others', async () => {
    const { agents: before } = await exported();
    const report = await importing({
      agents: [
        { name: 'PLANNER', description: 'new' },
        { name: 'Newcomer', system_prompt: 'x' },
        { name: 'Translator' },
      ],
    });
    expect(report.body.data).toEqual({
      created: 1,
      updated: 1,
      unchanged: 1,
      removed: 0,
      agents: [
        { name: 'PLANNER', result: 'updated' },
        { name: 'Newcomer', result: 'created' },
        { name: 'Translator', result: 'unchanged' },
      ],
    });
    const { agents } = await exported();
    const planner = before.find(({ name }) => name === 'Planner');
    expect(agents.find(({ name }) => name === 'PLANNER')).toEqual({ ...planner, name: 'PLANNER', description: 'new' });
    expect(agents).toHaveLength(6);
  });

  it('in sync mode makes the agents exactly those in the document', async () => {
    const document = {
      agents: [
        { name: 'Only', is_default: true },
        { name: 'Planner', description: 'new' },
      ],
    };
    expect(await counts(document, '?mode=sync')).toEqual({ created: 1, updated: 1, unchanged: 0, removed: 4 });
    const { agents } = await exported();
    expect(agents.map(({ name, is_default, tags }) => [name, is_default, tags])).toEqual([
      ['Only', true, []],
      ['Planner', false, []],
    ]);
    expect(await counts(document, '?mode=sync')).toEqual({ created: 0, updated: 0, unchanged: 2, removed: 0 });
  });

  it('moves the default, in any order of the document', async () => {
    const { agents } = await exported();
    const changed = agents.map((agent) => ({ ...agent, is_default: agent.name === 'Code Assistant' }));
    expect(await counts({ agents: changed })).toEqual({ created: 0, updated: 2, unchanged: 3, removed: 0 });
    expect((await exported()).agents).toEqual(changed);
  });

  it.each([
    ['a name twice', [{ name: 'A' }, { name: 'a' }], 'agents.1.name', 'duplicate'],
    [
      'two default agents',
      [
        { name: 'A', is_default: true },
        { name: 'B', is_default: true },
      ],
      'agents.1.is_default',
      'duplicate',
    ],
    [
      'a name twice among as many agents as a document may have',
      Array.from({ length: 5_000 }, (_, index) => ({ name: `Agent ${index % 4_999}` })),
      'agents.4999.name',
      'duplicate',
    ],
    ['an unknown provider', [{ name: 'A' }, { name: 'B', provider: 'x' }], 'agents.1.provider', 'not_offered'],
    ['a nameless one', [{}], 'agents.0.name', 'required'],
  ])('imports nothing from a document with %s', async (_case, agents, field, reason) => {
    const before = await exported();
    const error = expectFailure(await importing({ agents }, '?mode=sync'), 422, 'VALIDATION_ERROR');
    expect(error.details).toMatchObject({ field, reason });
    expect(await exported()).toEqual(before);
  });

  it('refuses something else instead of agents', async () => {
    const before = await exported();
    const agents = [{ name: 'A', tags: [['x']] }];
    const { details } = expectFailure(await importing({ agents }), 422, 'VALIDATION_ERROR');
    expect(details).toMatchObject({ field: 'agents.0.tags' });
    expect(await exported()).toEqual(before);
  });

  it('refuses an unknown mode', async () => {
    expectFailure(await importing({ agents: [] }, '?mode=replace'), 400, 'VALIDATION_ERROR');
  });
});

describe('the largest document of agents', () => {
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
