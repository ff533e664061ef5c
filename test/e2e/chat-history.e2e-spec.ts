// @databases mariadb mysql: query plans
import { GuardPresence } from '../../src/common/guard-presence';
import type { RedisConnection } from '../../src/common/redis/redis-connection';
import { Database } from '../../src/database/database';
import { BlobStore } from '../../src/integrations/blob-store/blob-store';
import { TokenCounter } from '../../src/integrations/llm/counting/token-counter';
import { LanguageModels } from '../../src/integrations/llm/language-models';
import { ChatRetention } from '../../src/modules/chat/chat.retention';
import { ConversationHistory } from '../../src/modules/chat/history/conversation-history';
import { PromptHistory } from '../../src/modules/chat/history/prompt-history';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { ChatExchange, ExchangeServices } from '../../src/modules/chat/sending/chat-exchange';
import { ChatReplyPlace } from '../../src/modules/chat/sending/chat-reply-place';
import { CompactionSeal } from '../../src/modules/generation/prompt/compaction/compaction-seal';
import { PromptBuilder } from '../../src/modules/generation/prompt/prompt-builder';
import { ReplyKnowledge } from '../../src/modules/generation/reply/reply-knowledge';
import { RunningReply } from '../../src/modules/generation/reply/running-reply';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { fake } from '../support/fake';
import type { ModelScript } from '../support/model-server/model-server';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance, type TestApp } from '../support/test-app';
import { useChatApp, useClient } from '../support/use-app';

const STEPS = 30;

/** How many earlier messages the agents include. */
const AGENTS = [{}, { context_max_messages: 5 }, { context_max_tokens: 1_200 }];

/** The outcomes of replies: complete, long, without text, refused before or after text, and broken off. */
const SCRIPTS: ModelScript[] = [
  {},
  {},
  { steps: [{ text: 'Words and words. '.repeat(30) }] },
  { steps: [{ text: '😀 ' }, { text: '漢字_' }] },
  { steps: [] },
  { steps: [], finish: 'content_filter' },
  { steps: [{ text: 'Half' }], finish: 'content_filter' },
  { steps: [{ text: 'Half' }, { cut: true }] },
];

/** Numbers from 0 to 1, the same in each run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Compares each prompt with the one from the database. */
function compareAllPrompts(app: Pick<TestApp, 'app'>): { compared: number } {
  const database = app.app.get(Database);
  const counter = app.app.get(TokenCounter);
  const models = app.app.get(LanguageModels);
  const blobs = app.app.get(BlobStore);
  const seal = app.app.get(CompactionSeal);
  const builder = app.app.get(PromptBuilder);
  const build = builder.build.bind(builder);
  const seen = { compared: 0 };
  jest.spyOn(builder, 'build').mockImplementation(async (reply) => {
    const prompt = await build(reply);
    const nothing = new ConversationHistory(database, fake<RedisConnection>({ subscribe: () => ({}) }));
    const promptHistory = new PromptHistory(database, nothing, blobs, app.app.get(ReplyKnowledge), new GuardPresence());
    const place = app.app.get(ChatReplyPlace);
    const services: ExchangeServices = { ...app.app.get(ExchangeServices), promptHistory };
    const facts = { title: null, isUntitled: false, formerLineEndId: null, question: null, message: null };
    const same = new RunningReply(
      reply.chatId,
      reply.userMessageId,
      reply.messageId,
      reply.task,
      new ChatExchange(place, services, facts),
      reply.driver,
    );
    const expected = await new PromptBuilder(counter, models, seal).build(same);
    // A reply that fails here fails the exchange, which the test detects by the number of comparisons.
    expect(prompt).toEqual(expected);
    seen.compared++;
    return prompt;
  });
  return seen;
}

/** Counts the reads of earlier messages. */
function countReadings(app: Pick<TestApp, 'app'>): jest.SpyInstance {
  return jest.spyOn(app.app.get(ConversationHistory), 'read' as never);
}

async function createAgent(admin: ChatClient, settings: object): Promise<number> {
  const body = { name: uniqueContent('A'), system_prompt: 'Be brief.', ...settings };
  return (await admin.request<{ data: { id: number } }>('/agents', { body })).body.data.id;
}

afterEach(() => jest.restoreAllMocks());

describe('earlier messages in a prompt', () => {
  const app = useChatApp();
  const client = useClient(app);
  // On MariaDB two instances change the same conversation without notifying each other.
  let second: Pick<TestApp, 'app' | 'url'>;
  let agents: number[];
  beforeAll(async () => {
    const admin = await app.newClient({ userType: 'admin' });
    // Before the second instance starts, because it is not notified of new agents.
    agents = await Promise.all(AGENTS.map((settings) => createAgent(admin, settings)));
    second = databaseEngine() === 'sqlite' ? app : await startInstance(app.environment);
  });
  afterAll(async () => {
    if (second !== app) {
      await second.app.close();
    }
  });

  it.each([
    ['an agent without limits', 0],
    ['an agent of few messages', 1],
    ['an agent of few tokens', 2],
  ])('are those in the database, whatever is sent, changed and switched, with %s', async (_, index) => {
    const prompts = (second === app ? [app] : [app, second]).map(compareAllPrompts);
    const clients = [app, second].map(({ url }) => new ChatClient(url, client.token));
    const chat = await clients[0]!.createChat({ agent_id: agents[index] });
    const random = randomNumbers(index + 1);
    const oneOf = <Thing>(things: Thing[]): Thing => things[Math.floor(random() * things.length)] as Thing;
    let exchanges = 0;
    for (let step = 0; step < STEPS; step++) {
      const sender = oneOf(clients);
      const { body: messages } = await sender.request<MessageDto[]>(`/chat/${chat.id}/messages?branches=all&limit=100`);
      const asked = messages.filter(({ role }) => role === 'user');
      const content = uniqueContent('word '.repeat(Math.ceil(random() * 40)));
      const kind = asked.length === 0 ? 0 : random();
      if (kind < 0.75) {
        const message = kind < 0.6 ? null : oneOf(asked);
        const isEdit = kind < 0.68;
        const key = message === null || isEdit ? content : message.content;
        await app.model.script({ key, times: 1, ...oneOf(SCRIPTS) });
        const path = message === null ? '/chat/message' : `/chat/${chat.id}/messages/${message.id}`;
        const { status } = await (message === null
          ? sender.send(chat.id, content)
          : isEdit
            ? sender.request(path, { method: 'PUT', body: { content } })
            : sender.request(`${path}/regenerate`, { method: 'POST' }));
        expect([200, 422, 502]).toContain(status);
        exchanges++;
      } else if (kind < 0.95) {
        await sender.request(`/chat/${chat.id}/line`, { method: 'PUT', body: { message_id: oneOf(messages).id } });
      } else {
        await sender.request(`/chat/${chat.id}`, { method: 'DELETE' });
        expect((await sender.request(`/chat/${chat.id}/restore`, { method: 'POST' })).status).toBe(200);
      }
    }
    expect(prompts.reduce((sum, { compared }) => sum + compared, 0)).toBeGreaterThanOrEqual(exchanges);
  });

  describe('in an active conversation', () => {
    it('are not read again for each message', async () => {
      const readings = countReadings(app);
      const chat = await client.createChat();
      const contents = ['one', 'two', 'three'].map((text) => uniqueContent(text));
      for (const content of contents) {
        await client.send(chat.id, content);
      }
      const [request] = await app.model.requests(contents[2]);
      expect(request?.body.messages.filter(({ role }) => role !== 'system').map(({ content }) => content)).toEqual([
        contents[0],
        'Hello from the model.',
        contents[1],
        'Hello from the model.',
        contents[2],
      ]);
      expect(readings).not.toHaveBeenCalled();
    });

    it('are read again after a message without a text reply has been refused', async () => {
      const prompts = compareAllPrompts(app);
      const chat = await client.createChat();
      const [first, second, third] = ['one', 'two', 'three'].map((text) => uniqueContent(text)) as [
        string,
        string,
        string,
      ];
      await app.model.script({ key: first, times: 1, steps: [] });
      const [question] = (await client.send(chat.id, first)).body;
      await client.send(chat.id, second);
      await app.model.script({ key: first, times: 1, steps: [], finish: 'content_filter' });
      await client.request(`/chat/${chat.id}/messages/${question.id}/regenerate`, { method: 'POST' });
      expect((await client.send(chat.id, third)).status).toBe(200);
      const [request] = await app.model.requests(third);
      expect(JSON.stringify(request?.body.messages)).not.toContain(first);
      expect(prompts.compared).toBe(4);
    });

    it('leave the cache when the conversation is moved to the trash or deleted', async () => {
      const history: { remembered?: Map<number, unknown> } = app.app.get(ConversationHistory);
      const isRemembered = (chatId: number) => history.remembered?.has(chatId);
      const [trashed, erased] = [await client.createChat(), await client.createChat()];
      await client.send(trashed.id, uniqueContent());
      await client.send(erased.id, uniqueContent());
      expect([isRemembered(trashed.id), isRemembered(erased.id)]).toEqual([true, true]);
      await client.request(`/chat/${trashed.id}`, { method: 'DELETE' });
      expect([isRemembered(trashed.id), isRemembered(erased.id)]).toEqual([false, true]);
      await app.app.get(ChatRetention).erase([erased.id]);
      expect(isRemembered(erased.id)).toBe(false);
    });
  });
});
