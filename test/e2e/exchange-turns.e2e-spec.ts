// @databases mariadb mysql: statements written by hand
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../src/common/security/principal';
import { Database } from '../../src/database/database';
import { BlobReferenceEntity } from '../../src/integrations/blob-store/blob-reference.entity';
import { AgentService } from '../../src/modules/agent/agent.api';
import { ChatEntity } from '../../src/modules/chat/conversations/chat.entity';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { ExchangeService } from '../../src/modules/chat/sending/exchange.service';
import type { ExchangeRequest, StoredExchange } from '../../src/modules/chat/sending/exchange-request';
import type { LiveReply } from '../../src/modules/generation/reply/live-reply';
import type { Turn } from '../../src/modules/generation/reply/stored-parts';
import { UsageEntryEntity } from '../../src/modules/usage/usage-entry.entity';
import { createUser } from '../support/accounts';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { readLine } from '../support/chat-line';
import { useChatApp } from '../support/use-app';

const NO_OPTIONS = { instructions: null, parameters: {}, tools: [] };

function turn(role: Turn['role'], content: string, parts: Turn['parts'] = null): Turn {
  return { role, content, parts };
}

describe('turns from an API client', () => {
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

  async function begin(
    turns: Turn[],
    place: { chatId?: number; after?: number | null; key?: string },
    more: Partial<ExchangeRequest> = {},
  ): Promise<LiveReply> {
    const { chatId, after = null, key = null } = place;
    const agent = await app.app.get(AgentService).resolveForNewChat(undefined, sender);
    const { reply } = await app.app.get(ExchangeService).start({
      sender: { ...sender, requestId: 'test' },
      chatId: chatId ?? { agent, language: 'en' },
      subject: { kind: 'turns', turns, after },
      language: null,
      endsWithReaders: false,
      endsUnread: false,
      repeatable: { userId, key, route: 'test', body: turns },
      options: NO_OPTIONS,
      ...more,
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

  it('become one branch, however many there are', async () => {
    const question = uniqueContent('last');
    const turns = Array.from({ length: 61 }, (_turn, index) => [
      turn('user', `question ${index}`),
      turn('assistant', `answer ${index}`),
    ]).flat();
    const reply = await exchange([...turns, turn('user', question)], {});
    const { messages, message_count, title } = await client.read(reply.chatId);
    expect(messages.map(({ content }) => content)).toEqual([
      ...turns.map(({ content }) => content),
      question,
      reply.text,
    ]);
    expect(messages.map(({ parent_id }) => parent_id)).toEqual([null, ...messages.map(({ id }) => id)].slice(0, -1));
    expect([message_count, title]).toEqual([turns.length + 2, expect.stringContaining('last')]);
    const [told] = await app.model.requests(question);
    expect(told?.body.messages.slice(-3).map(({ content }) => content)).toEqual(['question 60', 'answer 60', question]);
    const next = uniqueContent('next');
    const [message] = (await client.send(reply.chatId, next)).body;
    expect(message.parent_id).toBe(reply.messageId);
  });

  it('may start with system messages, which the model receives after the agent’s prompt', async () => {
    const question = uniqueContent();
    const reply = await exchange([turn('system', 'Talk like a pirate.'), turn('user', question)], {});
    const [told] = await app.model.requests(question);
    expect(told?.body.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(told?.body.messages[0]?.content).toMatch(/[^]+\n\nTalk like a pirate\.$/);
    const { messages } = await client.read(reply.chatId);
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant']);
  });

  it('continue after an earlier reply as a branch', async () => {
    const first = await exchange([turn('user', 'first')], {});
    const { chatId } = first;
    await exchange([turn('user', 'second')], { chatId, after: first.messageId });
    expect(await readLine(client, chatId)).toEqual(['first', 'second']);
    const question = uniqueContent('branch');
    await exchange([turn('user', question)], { chatId, after: first.messageId });
    expect(await readLine(client, chatId)).toEqual(['first', question]);
    const [told] = await app.model.requests(question);
    expect(told?.body.messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
      'first',
      question,
    ]);
    const all = await client.read(chatId, '?branches=all');
    expect(all.messages).toHaveLength(6);
  });

  it('represent function calls and their results', async () => {
    const call = { type: 'tool_call', id: 'call_1', name: 'weather', arguments: '{"at":"Köln"}' } as const;
    const question = uniqueContent('weather');
    await app.model.script({
      key: question,
      times: 1,
      steps: [{ toolCall: { id: 'call_1', name: 'weather', arguments: '{"at":"Köln"}' } }],
    });
    const options = {
      ...NO_OPTIONS,
      tools: [{ name: 'weather', description: null, parameters: { type: 'object' }, strict: null }],
    };
    const first = await exchange([turn('user', question)], {}, { options });
    expect(first.toolCalls).toEqual([call]);
    expect(first.end).toMatchObject({ status: 'completed', finishReason: 'tool_calls' });
    const result = uniqueContent('rain');
    const { chatId, messageId } = first;
    const results = [turn('user', '', [{ type: 'tool_result', id: 'call_1', content: result }])];
    const second = await exchange(results, { chatId, after: messageId }, { options });
    expect(second.end).toMatchObject({ status: 'completed', finishReason: 'stop' });
    const [, told] = await app.model.requests(question);
    expect(told?.body.messages.slice(1).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    const [stored] = await rows(MessageEntity, { id: messageId });
    expect(stored?.parts).toEqual([call]);
    expect(stored?.steps).toMatch(/^c0,a0:/);
  });

  it('have their files stored once, together with the messages', async () => {
    const data = Buffer.from(uniqueContent('bytes'));
    const image = { type: 'image', media_type: 'image/png', name: null, data, detail: null } as const;
    const question = uniqueContent('look');
    const parts = [{ type: 'text', text: question }, image] as const;
    const reply = await exchange([turn('user', question, parts), turn('user', question, parts)], {});
    const messages = await rows(MessageEntity, { chatId: reply.chatId, role: 'user' });
    const hashes = messages.flatMap(({ parts: stored }) =>
      (stored ?? []).flatMap((part) => ('hash' in part ? part.hash : [])),
    );
    expect(new Set(hashes).size).toBe(1);
    expect(await rows(BlobReferenceEntity, { hash: hashes[0] })).toHaveLength(2);
    const [told] = await app.model.requests(question);
    expect(JSON.stringify(told?.body.messages)).toContain(data.toString('base64'));
  });

  it('are stored in one transaction with the data of the endpoint', async () => {
    const kept: StoredExchange[] = [];
    const keep = (_manager: EntityManager, stored: StoredExchange) => Promise.resolve(void kept.push(stored));
    const { chatId, userMessageId, messageId } = await exchange([turn('user', 'Hi')], {}, { keep });
    expect(kept).toEqual([{ chatId, userMessageId, messageId, startedAt: expect.any(Date) as Date }]);
    const failing = () => Promise.reject(new Error('not kept'));
    await expect(exchange([turn('user', 'Hi')], { chatId }, { keep: failing })).rejects.toThrow('not kept');
    expect((await client.read(chatId)).messages).toHaveLength(2);
  });

  it('are refused before anything is stored if no model of the agent supports them', async () => {
    const agent = await app.app.get(AgentService).resolveForNewChat(undefined, sender);
    const demo = { ...agent, provider: 'demo', model: null };
    const image = { type: 'image', media_type: 'image/png', name: null, data: Buffer.from('x'), detail: null } as const;
    const turns = [turn('user', 'look', [{ type: 'text', text: 'look' }, image])];
    await expect(begin(turns, {}, { agent: demo })).rejects.toMatchObject({ details: { feature: 'images' } });
    expect(await rows(ChatEntity, { userId })).toEqual([]);
    expect(await rows(UsageEntryEntity, { userId })).toEqual([]);
    const fallback = { ...demo, fallbackModels: ['default:scripted'] };
    expect((await exchange(turns, {}, { agent: fallback })).end?.status).toBe('completed');
  });
});
