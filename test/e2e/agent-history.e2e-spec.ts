import { type AgentVersionDto } from '../../src/modules/agent/editing/agent-version.dto';
import { createAdmin, type TestAccount } from '../support/accounts';
import { expectFailure } from '../support/http';
import { useOwnTestApp } from '../support/use-app';
import { type AgentRequest, agentRequests, createAgent } from './agent-requests';

describe('the history of an agent', () => {
  const app = useOwnTestApp();
  let admin: TestAccount;
  let request: AgentRequest;

  beforeAll(async () => {
    admin = await createAdmin(app);
    request = agentRequests(app, admin.token);
  });

  const versions = async (id: number) => {
    const { body } = await request<{ items: AgentVersionDto[]; pagination: object }>('GET', `/${id}/versions`);
    return body.data;
  };

  it('has every change of prompt, model and parameters, newest first', async () => {
    const { id } = await createAgent(request, { system_prompt: 'one', model_params: { temperature: 1 } });
    await request('PUT', `/${id}`, { system_prompt: 'two' });
    await request('PUT', `/${id}`, { description: 'how it is presented is not its behaviour' });
    await request('PUT', `/${id}`, { model_params: { temperature: 0.5 }, model: 'demo' });
    const { items, pagination } = await versions(id);
    expect(items.map(({ version, system_prompt, model }) => [version, system_prompt, model])).toEqual([
      [4, 'two', 'demo'],
      [2, 'two', null],
      [1, 'one', null],
    ]);
    expect(items[2]).toMatchObject({ created_by: admin.user.id, model_params: { temperature: 1 } });
    expect(pagination).toEqual({ page: 1, size: 20, total: 3, pages: 1 });
  });

  it('can be restored, as a new version', async () => {
    const { id } = await createAgent(request, { system_prompt: 'one', model_params: { temperature: 1 } });
    await request('PUT', `/${id}`, { system_prompt: 'two', model: 'demo', description: 'new' });
    const restored = await request('POST', `/${id}/versions/1/restore`);
    expect(restored.status).toBe(200);
    expect(restored.body.data).toMatchObject({
      version: 3,
      system_prompt: 'one',
      model: null,
      model_params: { temperature: 1 },
      description: 'new',
    });
    expect((await versions(id)).items.map(({ version }) => version)).toEqual([3, 2, 1]);
  });

  it('has no version that never existed', async () => {
    const { id } = await createAgent(request);
    expectFailure(await request('POST', `/${id}/versions/2/restore`), 404, 'AGENT_VERSION_NOT_FOUND');
    expectFailure(await request('POST', `/${id}/versions/0/restore`), 400, 'VALIDATION_ERROR');
  });

  it('starts from version 1 for a copy, which is a draft with a free name', async () => {
    const { id } = await createAgent(request, { name: 'Original', system_prompt: 'prompt', tags: ['t'] });
    await request('PUT', `/${id}`, { is_default: true, system_prompt: 'prompt 2' });
    const first = await request('POST', `/${id}/duplicate`);
    const second = await request('POST', `/${id}/duplicate`, {});
    const named = await request('POST', `/${id}/duplicate`, { name: 'Named' });
    expect(first.status).toBe(201);
    expect(first.body.data).toMatchObject({
      name: 'Original (copy)',
      status: 'draft',
      system_prompt: 'prompt 2',
      is_default: false,
      version: 1,
    });
    expect(second.body.data.name).toBe('Original (copy 2)');
    expect(named.body.data).toMatchObject({ name: 'Named', tags: ['t'] });
    expectFailure(await request('POST', `/${id}/duplicate`, { name: 'named' }), 409, 'AGENT_NAME_TAKEN');
  });
});
