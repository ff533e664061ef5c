import { In } from 'typeorm';
import type { Principal } from '../../src/common/security/principal';
import { Database } from '../../src/database/database';
import { AgentService } from '../../src/modules/agent/agent.api';
import { ChatEntity } from '../../src/modules/chat/conversations/chat.entity';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { FIRST_GENERATION_ID, GenerationEntity } from '../../src/modules/generation/generation.entity';
import { GenerationRetention } from '../../src/modules/generation/generation.retention';
import { NO_OPTIONS } from '../../src/modules/generation/reply/generation-task';
import type { LiveReply } from '../../src/modules/generation/reply/live-reply';
import type { Turn } from '../../src/modules/generation/reply/stored-parts';
import { Generations } from '../../src/modules/generation/stateless/generations.service';
import { UsageEntryEntity } from '../../src/modules/usage/usage-entry.entity';
import { createUser } from '../support/accounts';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { useChatApp } from '../support/use-app';

function turn(role: Turn['role'], content: string): Turn {
  return { role, content, parts: null };
}
describe('a reply to turns that a client sends completely', () => {
  const app = useChatApp();
  let client: ChatClient;
  let userId: number;
  let sender: Pick<Principal, 'userId' | 'tier' | 'groupIds' | 'apiKeyId' | 'tokensPerDay'>;

  beforeEach(async () => {
    const { user, token } = await createUser(app);
    client = new ChatClient(app.url, token);
    userId = user.id;
    sender = { userId, tier: 'normal', groupIds: [], apiKeyId: null, tokensPerDay: null };
  });

  async function begin(turns: Turn[], key: string | null = null): Promise<LiveReply> {
    const { reply } = await app.app.get(Generations).start({
      sender: { ...sender, requestId: 'test' },
      agent: await app.app.get(AgentService).resolveForNewChat(undefined, sender),
      turns,
      repeatable: { userId, key, route: 'test', body: turns },
      options: NO_OPTIONS,
    });
    return reply;
  }

  async function exchange(...parameters: Parameters<typeof begin>): Promise<LiveReply> {
    const reply = await begin(...parameters);
    await reply.whenEnded();
    return reply;
  }

  const rows = <Row extends object>(entity: new () => Row, where: object): Promise<Row[]> =>
    app.app.get(Database).repository(entity).find({ where, withDeleted: true });

  it('leaves only its usage if nothing is to be stored', async () => {
    const question = uniqueContent();
    const reply = await exchange([turn('user', 'before'), turn('user', question)]);
    expect(reply.end?.status).toBe('completed');
    expect(await rows(GenerationEntity, { userId })).toEqual([]);
    expect(await rows(ChatEntity, { userId })).toEqual([]);
    const entries = await rows(UsageEntryEntity, { userId });
    expect(entries.map(({ role, tokens }) => [role, tokens > 0])).toEqual([
      ['user', false],
      ['assistant', true],
    ]);
    const [told] = await app.model.requests(question);
    expect(told?.body.messages.at(-1)?.content).toBe(`before\n\n${question}`);
  });

  it('is shown nowhere while it runs', async () => {
    const question = uniqueContent();
    await app.model.script({ key: question, steps: [{ text: 'One' }, { hold: question }, { text: ' two' }] });
    const reply = await begin([turn('user', question)]);
    await reply.startsWithin(5_000);
    expect((await client.request('/chat')).body).toEqual([]);
    expect((await client.request('/chat/trash')).body).toEqual([]);
    expect(await rows(MessageEntity, { id: In([reply.messageId, reply.userMessageId]) })).toEqual([]);
    expect(await rows(GenerationEntity, { userId })).toMatchObject([{ id: reply.messageId, status: 'streaming' }]);
    expect(reply.messageId).toBeGreaterThanOrEqual(FIRST_GENERATION_ID);
    await app.model.release(question);
    await reply.whenEnded();
    expect(reply.text).toBe('One two');
  });

  it('is answered again, for a day, if it had a key', async () => {
    const question = uniqueContent();
    const one = await exchange([turn('user', question)], 'again');
    const two = await exchange([turn('user', question)], 'again');
    expect([two.messageId, two.text]).toEqual([one.messageId, one.text]);
    expect(await app.model.requests(question)).toHaveLength(1);
    expect((await client.request('/chat')).body).toEqual([]);
  });

  it("is in its user's export: its usage, and for a day its text", async () => {
    const question = uniqueContent();
    const reply = await exchange([turn('user', question)], 'exported');
    const { body } = await client.request<Record<string, object[]>>('/user/export');
    const used = { message_id: null, chat_id: null };
    expect(body.usage_by_message).toMatchObject([
      { ...used, role: 'user' },
      { ...used, role: 'assistant' },
    ]);
    expect(body.generations).toMatchObject([{ id: reply.messageId, content: reply.text }]);
  });

  it('is in the export with its client-side calls', async () => {
    const question = uniqueContent();
    const call = { name: 'weather', arguments: '{"city":"Lisbon"}' };
    await app.model.script({ key: question, steps: [{ text: 'Let me see.' }, { toolCall: call }] });
    const { messageId } = await exchange([turn('user', question)], 'exported calls');
    const { body } = await client.request<Record<string, object[]>>('/user/export');
    const parts = [
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_call', id: expect.any(String), ...call },
    ];
    expect(body.generations).toMatchObject([{ id: messageId, content: 'Let me see.', parts }]);
  });

  it('is deleted after a day, and not before', async () => {
    const [old, young] = [
      await exchange([turn('user', 'old')], 'old'),
      await exchange([turn('user', 'young')], 'young'),
    ];
    const updatedAt = new Date(Date.now() - 25 * 3_600_000);
    await app.app
      .get(Database)
      .write((manager) => manager.update(GenerationEntity, { id: old.messageId }, { updatedAt }));
    await app.app.get(GenerationRetention).purge();
    expect((await rows(GenerationEntity, { userId })).map(({ id }) => id)).toEqual([young.messageId]);
  });

  it('counts towards the concurrent replies', async () => {
    const question = uniqueContent();
    await app.model.script({ key: question, steps: [{ hold: question }, { text: 'done' }] });
    const running = [await begin([turn('user', question)]), await begin([turn('user', question)])];
    await expect(begin([turn('user', question)])).rejects.toMatchObject({
      details: { limit: 2 },
    });
    await app.model.release(question);
    await Promise.all(running.map((reply) => reply.whenEnded()));
    expect((await exchange([turn('user', 'free again')])).end?.status).toBe('completed');
  });
});
