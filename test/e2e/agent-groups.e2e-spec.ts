import type { AgentDto } from '../../src/modules/agent/catalogue/agent.dto';
import type { GroupDto } from '../../src/modules/group/administration/group.dto';
import { createUser, newcomer, type TestAccount } from '../support/accounts';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { call, expectFailure } from '../support/http';
import { useAdmin, useChatApp } from '../support/use-app';

describe('agents for groups', () => {
  const app = useChatApp();
  const admin = useAdmin(app);

  async function createGroup(): Promise<GroupDto> {
    return (await admin.post<GroupDto>('/admin/groups', { name: newcomer().username })).body.data;
  }

  const add = (group: GroupDto, userId: number) => admin.post(`/admin/groups/${group.id}/members`, { user_id: userId });
  const remove = (group: GroupDto, userId: number) => admin.delete(`/admin/groups/${group.id}/members/${userId}`);

  let group: GroupDto;
  let inside: TestAccount;
  let outside: TestAccount;

  beforeEach(async () => {
    [group, inside, outside] = await Promise.all([createGroup(), createUser(app), createUser(app)]);
    await add(group, inside.user.id);
  });

  async function createAgent(body: object = {}): Promise<AgentDto> {
    const fields = { name: newcomer().username, access_level: 'groups', group_ids: [group.id], ...body };
    const answer = await admin.post<AgentDto>('/agents', fields);
    expect(answer.status).toBe(201);
    return answer.body.data;
  }

  const read = ({ token }: TestAccount, path: string) => call(`${app.url}${path}`, { token });

  async function seenBy({ token }: TestAccount, { name, id }: AgentDto): Promise<string[]> {
    const lists: Record<string, string> = {
      active: `${app.url}/chat/agents/active`,
      list: `${app.url}/agents?q=${name}`,
      one: `${app.url}/agents/${id}`,
      models: `${new URL(app.url).origin}/openai/v1/models`,
      model: `${new URL(app.url).origin}/openai/v1/models/${name}`,
    };
    const seen = await Promise.all(
      Object.entries(lists).map(async ([where, url]) => {
        const { text } = await call(url, { token });
        return text.includes(`"${name}"`) && !text.includes('"error"') ? where : '';
      }),
    );
    return seen.filter((where) => where !== '');
  }

  it('are open to their members only, and to administrators', async () => {
    const agent = await createAgent();
    expect(await seenBy(inside, agent)).toEqual(['active', 'list', 'one', 'models', 'model']);
    expect(await seenBy(outside, agent)).toEqual([]);
    expect(await seenBy(admin.account, agent)).toEqual(['active', 'list', 'one', 'models', 'model']);
    expectFailure(await read(outside, `/agents/${agent.id}`), 404, 'AGENT_NOT_FOUND');
    const chat = (who: TestAccount) => call(`${app.url}/chat`, { token: who.token, body: { agent_id: agent.id } });
    expect((await chat(inside)).status).toBe(201);
    expect((await chat(admin.account)).status).toBe(201);
    expectFailure(await chat(outside), 404, 'AGENT_NOT_FOUND');
    const model = await call<{ error: { code: string } }>(`${new URL(app.url).origin}/openai/v1/chat/completions`, {
      token: outside.token,
      body: { model: agent.name, messages: [{ role: 'user', content: 'Hi' }] },
    });
    expect(model).toMatchObject({ status: 404, body: { error: { code: 'model_not_found' } } });
  });

  it('are closed to former members: the old chat stays readable, and accepts no message', async () => {
    const agent = await createAgent();
    const client = new ChatClient(app.url, inside.token);
    const chat = await client.createChat({ agent_id: agent.id });
    expect((await client.send(chat.id, uniqueContent())).status).toBe(200);
    await remove(group, inside.user.id);
    expectFailure(await client.send(chat.id, uniqueContent()), 409, 'AGENT_INACTIVE');
    expect((await client.read(chat.id)).messages).toHaveLength(2);
    expect(await seenBy(inside, agent)).toEqual([]);
    await add(group, inside.user.id);
    expect((await client.send(chat.id, uniqueContent())).status).toBe(200);
  });

  it('are the user’s own default only while they are open', async () => {
    const agent = await createAgent();
    const settings = (who: TestAccount) =>
      call<{ default_agent_id: number | null }>(`${app.url}/user/settings`, {
        method: 'PUT',
        token: who.token,
        body: { default_agent_id: agent.id },
      });
    expectFailure(await settings(outside), 422, 'VALIDATION_ERROR');
    expect((await settings(inside)).body.default_agent_id).toBe(agent.id);
    await remove(group, inside.user.id);
    expect((await read(inside, '/user/settings')).body).toMatchObject({ default_agent_id: null });
    const chat = await new ChatClient(app.url, inside.token).createChat();
    expect(chat.agent_id).not.toBe(agent.id);
  });

  it('are open to no user when their last group is deleted', async () => {
    const agent = await createAgent();
    const others = await createGroup();
    const shared = await createAgent({ group_ids: [group.id, others.id] });
    const deleted = await admin.delete(`/admin/groups/${group.id}`);
    expect(deleted.status).toBe(200);
    expect((await admin.get(`/agents/${shared.id}`)).body.data).toMatchObject({ group_ids: [others.id] });
    expect(await seenBy(inside, agent)).toEqual([]);
    expect((await admin.get(`/agents/${agent.id}`)).body.data).toMatchObject({
      access_level: 'groups',
      group_ids: [],
    });
    const actions = (await admin.entriesOf(deleted)).map(({ action }) => action).sort();
    expect(actions).toEqual(['agent.update', 'agent.update', 'group.delete']);
  });

  it('must name existing groups', async () => {
    const body = { name: newcomer().username, access_level: 'groups', group_ids: [group.id, 999_999] };
    expectFailure(await admin.post('/agents', body), 422, 'VALIDATION_ERROR');
    const agent = await createAgent({ access_level: 'free', group_ids: [] });
    expectFailure(await admin.put(`/agents/${agent.id}`, { group_ids: [999_999] }), 422, 'VALIDATION_ERROR');
    expectFailure(await admin.put(`/agents/${agent.id}`, { group_ids: ['a'] }), 422, 'VALIDATION_ERROR');
    const opened = await admin.put(`/agents/${agent.id}`, { access_level: 'groups', group_ids: [group.id] });
    expect(opened.body.data).toMatchObject({ access_level: 'groups', group_ids: [group.id] });
    expect(await seenBy(outside, agent)).toEqual([]);
  });

  it('name them in documents, because groups have different ids elsewhere', async () => {
    const agent = await createAgent({ access_level: 'groups' });
    const { agents } = (await admin.get<{ agents: { name: string; groups: string[] }[] }>('/agents/export')).body.data;
    const entry = agents.find(({ name }) => name === agent.name);
    expect(entry).toMatchObject({ groups: [group.name] });
    const importing = (fields: object) => admin.post('/agents/import', { agents: [{ ...entry, ...fields }] });
    expect((await importing({})).body.data).toMatchObject({ unchanged: 1 });
    await admin.put(`/admin/groups/${group.id}`, { name: newcomer().username });
    const { name } = group;
    const other = (await admin.post<GroupDto>('/admin/groups', { name: name.toUpperCase() })).body.data;
    expect((await importing({})).body.data).toMatchObject({ updated: 1 });
    expect((await admin.get(`/agents/${agent.id}`)).body.data).toMatchObject({ group_ids: [other.id] });
    const unknown = expectFailure(await importing({ groups: [newcomer().username] }), 422, 'VALIDATION_ERROR');
    expect(unknown.details).toMatchObject({ field: 'agents.0.groups', reason: 'not_offered' });
    expect((await importing({ groups: [] })).body.data).toMatchObject({ updated: 1 });
    expect((await admin.get(`/agents/${agent.id}`)).body.data).toMatchObject({ access_level: 'groups', group_ids: [] });
  });

  it('never name a group that has been deleted concurrently', async () => {
    const agents = await Promise.all(Array.from({ length: 4 }, () => createAgent({ group_ids: [] })));
    const [deletion, ...changes] = await Promise.all([
      admin.delete(`/admin/groups/${group.id}`),
      ...agents.map(({ id }) => admin.put(`/agents/${id}`, { group_ids: [group.id] })),
    ]);
    expect(deletion.status).toBe(200);
    expect(changes.map(({ status }) => status).filter((status) => status !== 200 && status !== 422)).toEqual([]);
    for (const { id } of agents) {
      expect((await admin.get(`/agents/${id}`)).body.data).toMatchObject({ group_ids: [] });
    }
  });
});
