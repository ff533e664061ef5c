import { ModelRegistry } from '../../src/integrations/llm/providers/model-registry';
import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import type { AgentVersionDto } from '../../src/modules/agent/editing/agent-version.dto';
import type { GroupDto } from '../../src/modules/group/administration/group.dto';
import { newcomer } from '../support/accounts';
import { expectFailure } from '../support/http';
import { useAdmin, useChatApp } from '../support/use-app';

describe('the tools of agents', () => {
  const app = useChatApp();
  const admin = useAdmin(app);

  const create = (fields: object) => admin.post<AgentAdminDto>('/agents', { name: newcomer().username, ...fields });

  it('are set, versioned, exported and copied', async () => {
    const tools = [{ name: 'current_time' }, { name: 'calculate', policy: 'ask', approver: 'admin' }];
    const limits = { max_rounds: 3, max_calls: 7, max_cost_per_run: '0.25' };
    const { data: agent } = (await create({ tools, ...limits })).body;
    expect(agent).toMatchObject({ tools, ...limits, version: 1 });
    const same = await admin.put<AgentAdminDto>(`/agents/${agent.id}`, { tools, ...limits });
    expect(same.body.data.version).toBe(1);
    const less = await admin.put<AgentAdminDto>(`/agents/${agent.id}`, { tools: [], max_rounds: null });
    expect(less.body.data).toMatchObject({ tools: [], max_rounds: null, max_calls: 7, version: 2 });
    const versions = await admin.items<AgentVersionDto>(`/agents/${agent.id}/versions`);
    expect(versions.map(({ tools: of, max_rounds }) => [of, max_rounds])).toEqual([
      [[], null],
      [tools, 3],
    ]);
    const copy = await admin.post<AgentAdminDto>(`/agents/${agent.id}/duplicate`);
    expect(copy.body.data).toMatchObject({ tools: [], max_calls: 7 });
    const exported = await admin.get<{ agents: AgentAdminDto[] }>('/agents/export');
    expect(exported.body.data.agents.find(({ name }) => name === agent.name)).toMatchObject({
      tools: [],
      max_calls: 7,
    });
  });

  it('are empty by default', async () => {
    const { data } = (await create({})).body;
    expect(data).toMatchObject({ tools: [], max_rounds: null, max_calls: null, max_cost_per_run: null });
  });

  it.each<[string, object, string]>([
    ['an unknown tool', { tools: [{ name: 'launch_rocket' }] }, 'tools.0.name'],
    ['a group that is not there', { tools: [{ name: 'calculate', approver: 'group:999999' }] }, 'tools.0.approver'],
    ['no rounds', { max_rounds: 0 }, 'max_rounds'],
  ])('are refused: %s', async (_what, fields, field) => {
    const { details } = expectFailure(await create(fields), 422, 'VALIDATION_ERROR');
    expect((details as { errors: { field: string }[] }).errors.map((error) => error.field)).toContain(field);
  });

  it('are not offered to a model without function calls: the agent still replies', async () => {
    jest.replaceProperty(app.app.get(ModelRegistry).find('demo')!.provider, 'features', new Set());
    const { data: agent } = (await create({ provider: 'demo', status: 'active', tools: [{ name: 'calculate' }] })).body;
    const client = await app.newClient();
    const { id } = await client.createChat({ agent_id: agent.id });
    const { status, body } = await client.send(id, 'Call calculate.');
    expect([status, body[1].status, body[1].parts]).toEqual([200, 'completed', null]);
  });

  it('are approved by an existing group', async () => {
    const { data: group } = (await admin.post<GroupDto>('/admin/groups', { name: newcomer().username })).body;
    const tools = [{ name: 'calculate', policy: 'ask', approver: `group:${group.id}` }];
    expect((await create({ tools })).body.data.tools).toEqual(tools);
  });
});
