import { Database } from '../../src/database/database';
import { updateRows } from '../../src/database/statements/update';
import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import type { AgentVersionDto } from '../../src/modules/agent/editing/agent-version.dto';
import { KnowledgeStoreEntity } from '../../src/modules/knowledge/tables/knowledge-store.entity';
import { newcomer } from '../support/accounts';
import type { ChatClient } from '../support/chat-client';
import { expectFailure } from '../support/http';
import { useKnowing } from '../support/knowing';
import { made } from '../support/use-app';

interface Exported {
  agents: { name: string; knowledge: string[] }[];
}

describe('the collections of agents', () => {
  const { app, admin, createStore, createAgent } = useKnowing();
  const client = made<ChatClient>(beforeAll, () => app.newClient());

  const read = async (id: number): Promise<AgentAdminDto> =>
    (await admin.get<AgentAdminDto>(`/agents/${id}`)).body.data;

  const drop = (id: number, force = '') => client.request(`/knowledge/${id}${force}`, { method: 'DELETE' });

  it('are set, versioned, copied and shown with who may read them', async () => {
    const [one, two] = [await createStore(client), await createStore(client)];
    const agent = await createAgent({ knowledge: [two.id, one.id] });
    expect(agent.knowledge).toEqual([two.id, one.id]);
    const access = [two, one].map(({ id, name }) => ({ id, name, everyone: null, groups: [] }));
    expect(agent.knowledge_access).toEqual(access);
    expect((await admin.put<AgentAdminDto>(`/agents/${agent.id}`, { knowledge: [one.id] })).body.data).toMatchObject({
      knowledge: [one.id],
      version: 2,
    });
    const versions = await admin.items<AgentVersionDto>(`/agents/${agent.id}/versions`);
    expect(versions.map(({ knowledge }) => knowledge)).toEqual([[one.id], [two.id, one.id]]);
    const copy = await admin.post<AgentAdminDto>(`/agents/${agent.id}/duplicate`);
    expect(copy.body.data.knowledge).toEqual([one.id]);
    const shown = await client.request<{ data: object }>(`/agents/${agent.id}`);
    expect(shown.body.data).not.toHaveProperty('knowledge');
    expect(await read(agent.id)).toMatchObject({ knowledge_access: [access[1]] });
  });

  it('must exist', async () => {
    const refused = await admin.post('/agents', { name: newcomer().username, knowledge: [987_654] });
    const { details } = expectFailure(refused, 422, 'VALIDATION_ERROR');
    expect(details).toMatchObject({ errors: [{ field: 'knowledge.0' }] });
  });

  it('are exported and imported by name, which must be unique', async () => {
    const store = await createStore(client);
    const agent = await createAgent({ knowledge: [store.id] });
    const exported = (await admin.get<Exported>('/agents/export')).body.data.agents;
    const entry = exported.find(({ name }) => name === agent.name);
    expect(entry?.knowledge).toEqual([store.name]);
    const imported = (knowledge: string[]) => admin.post('/agents/import', { agents: [{ ...entry, knowledge }] });
    await imported([]);
    expect((await read(agent.id)).knowledge).toEqual([]);
    await imported([store.name]);
    expect((await read(agent.id)).knowledge).toEqual([store.id]);
    expectFailure(await imported(['nowhere']), 422, 'VALIDATION_ERROR');
    await createStore(client, { name: store.name });
    expectFailure(await imported([store.name]), 422, 'VALIDATION_ERROR');
  });

  it('are not deleted while agents use them, unless that is forced', async () => {
    const store = await createStore(client);
    const agent = await createAgent({ knowledge: [store.id] });
    const { id: chatId } = await client.createChat({ knowledge: [store.id] });
    expect(expectFailure(await drop(store.id), 409, 'KNOWLEDGE_IN_USE').details).toEqual({});
    const known = await admin.delete(`/admin/knowledge/${store.id}`);
    expect(expectFailure(known, 409, 'KNOWLEDGE_IN_USE').details).toEqual({ agent_ids: [agent.id] });
    expect((await drop(store.id, '?force=true')).status).toBe(200);
    expect(await read(agent.id)).toMatchObject({ knowledge: [], knowledge_access: [] });
    expect((await client.read(chatId)).knowledge).toEqual([]);
    const restored = await admin.post<AgentAdminDto>(`/agents/${agent.id}/versions/1/restore`);
    expect(restored.body.data.knowledge).toEqual([]);
    expect((await admin.put(`/agents/${agent.id}`, { description: 'Other' })).status).toBe(200);
  });

  it('of conversations are changed, and only what is added must be readable', async () => {
    const [one, two] = [await createStore(client), await createStore(client)];
    const chat = await client.createChat({ knowledge: [one.id] });
    const change = (knowledge: number[]) =>
      client.request<{ knowledge: number[] }>(`/chat/${chat.id}`, { method: 'PUT', body: { knowledge } });
    expect((await change([one.id, two.id])).body.knowledge).toEqual([one.id, two.id]);
    await app.app
      .get(Database)
      .write((manager) => updateRows(manager, KnowledgeStoreEntity, { ownerId: null }, { id: one.id }));
    expect((await change([one.id])).body.knowledge).toEqual([]);
    expectFailure(await change([987_654]), 404, 'KNOWLEDGE_NOT_FOUND');
    expect((await change([])).body.knowledge).toEqual([]);
  });
});
