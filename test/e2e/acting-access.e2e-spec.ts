import { IsNull, Not } from 'typeorm';
import { Database } from '../../src/database/database';
import type { ActionDto } from '../../src/modules/chat/messages/action.dto';
import { ToolCallEntity } from '../../src/modules/generation/actions/tool-call.entity';
import { UserEntity } from '../../src/modules/user/account/user.entity';
import { createUser } from '../support/accounts';
import { useActing } from '../support/acting';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { ResponsesClient } from '../support/open-responses/responses-client';

describe("approved calls after a change of the approver's rights", () => {
  const { app, admin, tools, agentWith, calling, saying, decide } = useActing();

  /** A reply that waits for its user's approval of `book`, and the access rule of the agent. */
  async function waiting(fields: object, columns: object = {}) {
    const { token, user } = await createUser(app, columns);
    const client = new ChatClient(app.url, token);
    const { body } = await admin.post<{ id: number }>('/admin/groups', { name: uniqueContent('group') });
    const groupId = body.data.id;
    await admin.post(`/admin/groups/${groupId}/members`, { user_id: user.id });
    const isForGroups = 'access_level' in fields && fields.access_level === 'groups';
    const agent = await agentWith([{ name: 'book' }], { ...fields, ...(isForGroups && { group_ids: [groupId] }) });
    const { id: chatId } = await client.createChat({ agent_id: agent.id });
    const key = uniqueContent();
    await calling(key, ['book', { what: key }]);
    await saying(key, 'Done.');
    await client.send(chatId, key);
    const { body: actions } = await client.request<ActionDto[]>(`/chat/${chatId}/actions`);
    const approve = () =>
      decide(chatId, actions[0]?.id ?? 0, { decision: 'approve', arguments_hash: actions[0]?.arguments_hash }, client);
    return { client, chatId, key, agentId: agent.id, userId: user.id, groupId, approve };
  }

  type Waiting = Awaited<ReturnType<typeof waiting>>;

  it.each<[string, object, object, (waiting: Waiting) => Promise<{ status: number }>]>([
    [
      'who left its group',
      { access_level: 'groups' },
      {},
      ({ groupId, userId }) => admin.delete(`/admin/groups/${groupId}/members/${userId}`),
    ],
    [
      'whose membership has ended',
      { access_level: 'paid' },
      { membershipType: 'monthly' },
      ({ userId }) => admin.put(`/admin/users/${userId}`, { membership_type: 'free' }),
    ],
    ['because it was switched off', {}, {}, ({ agentId }) => admin.put(`/agents/${agentId}`, { status: 'disabled' })],
  ])('are not made for a user who may no longer chat with the agent: %s', async (_who, fields, columns, change) => {
    const asked = await waiting(fields, columns);
    expect((await change(asked)).status).toBe(200);
    const { status, body } = await asked.approve();
    expect(status).toBe(200);
    expect(body[1].parts).toContainEqual(expect.objectContaining({ name: 'book', state: 'denied' }));
    expect(tools.booked).not.toContain(asked.key);
    expect((await asked.client.send(asked.chatId, uniqueContent())).status).toBeGreaterThanOrEqual(400);
  });

  it("are not made if an agent other than the conversation's proposed them, and was switched off", async () => {
    const { token } = await createUser(app);
    const client = new ChatClient(app.url, token);
    const [own, other] = [await agentWith([{ name: 'book' }]), await agentWith([{ name: 'book' }])];
    const { id: chatId } = await client.createChat({ agent_id: own.id });
    const key = uniqueContent();
    await calling(key, ['book', { what: key }]);
    await saying(key, 'Done.');
    const conversation = `conv_${chatId}`;
    await new ResponsesClient(app.origin, token, other.name).create({ input: key, conversation });
    const [action] = (await client.request<ActionDto[]>(`/chat/${chatId}/actions`)).body;
    await admin.put(`/agents/${other.id}`, { status: 'disabled' });
    const word = { decision: 'approve', arguments_hash: action?.arguments_hash };
    const { body } = await decide(chatId, action?.id ?? 0, word, client);
    expect(body[1].parts).toContainEqual(expect.objectContaining({ name: 'book', state: 'denied' }));
    expect(tools.booked).not.toContain(key);
  });

  it('are not made for a user whom another instance has just banned', async () => {
    const { token, user } = await createUser(app);
    const client = new ChatClient(app.url, token);
    const agent = await agentWith([{ name: 'book', approver: 'admin' }]);
    const { id: chatId } = await client.createChat({ agent_id: agent.id });
    const key = uniqueContent();
    await calling(key, ['book', { what: key }]);
    await saying(key, 'Done.');
    await client.send(chatId, key);
    const [action] = (await client.request<ActionDto[]>(`/chat/${chatId}/actions`)).body;
    const database = app.app.get(Database);
    await database.write((manager) => manager.update(UserEntity, { id: user.id }, { status: 'banned' }));
    const word = { decision: 'approve', arguments_hash: action?.arguments_hash };
    await decide(chatId, action?.id ?? 0, word, new ChatClient(app.url, admin.account.token));
    const made = await eventually(() =>
      database.repository(ToolCallEntity).findOneBy({ chatId, endedAt: Not(IsNull()) }),
    );
    expect(made.state).not.toBe('succeeded');
    expect(tools.booked).not.toContain(key);
  });

  it("are made for a former administrator, within a normal user's quota", async () => {
    const asked = await waiting({}, { userType: 'admin' });
    const plans = await admin.items<{ membership_type: string }>('/admin/plans');
    const free = plans.find(({ membership_type }) => membership_type === 'free');
    await admin.put('/admin/plans/free', { ...free, tokens_per_day: 1 });
    await admin.put(`/admin/users/${asked.userId}`, { user_type: 'normal' });
    const { body } = await asked.approve();
    expect(tools.booked).toContain(asked.key);
    expect(body[1]).toMatchObject({ status: 'failed', error: { code: 'QUOTA_EXCEEDED' } });
    await admin.put('/admin/plans/free', { ...free });
  });

  it.each<[string, object, object]>([
    ['a member of its group', { access_level: 'groups' }, {}],
    ['a paying member', { access_level: 'paid' }, { membershipType: 'monthly' }],
  ])('are made for %s', async (_who, fields, columns) => {
    const asked = await waiting(fields, columns);
    await asked.approve();
    expect(tools.booked).toContain(asked.key);
  });
});
