// @databases mariadb: statements and the order of their locks
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UserDto } from '../../src/modules/user/account/user.dto';
import { useActing } from '../support/acting';
import { makeBudget } from '../support/budgets';
import { uniqueContent } from '../support/chat-client';
import { CompletionCaller } from '../support/completion-stream';
import { EventFeedReader } from '../support/event-feed-reader';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { databaseEngine } from '../support/servers/test-database';
import { StatementLog } from '../support/statement-log';
import { made } from '../support/use-app';
import { WebhookClient } from '../support/webhook-client';
import { WebhookReceiver } from '../support/webhook-receiver';

/** Prepares the data, and returns the requests to record. */
type Scenario = () => Promise<() => Promise<unknown>>;

const AGENT = 'General assistant';

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/**
 * The kept files show which statements a reply needs, and in which order they lock rows. `TEST_KEEP_STATEMENTS=yes` writes the
 * files of the engine again.
 */
describe('the statements of', () => {
  const { app, admin, client, agentWith, chatWith, calling, saying, actionsOf } = useActing();
  const receiver = made(beforeAll, () => WebhookReceiver.start());
  const log = made(beforeEach, () => Promise.resolve(StatementLog.of(app)));
  let feed: EventFeedReader;

  beforeAll(async () => {
    await admin.post('/admin/prices', { model: 'scripted', input: '1', output: '2' });
  });

  afterAll(() => receiver.stop());

  /** A user with a budget, a webhook and an event feed. */
  beforeEach(async () => {
    const { body: user } = await client.request<UserDto>('/users/me');
    await makeBudget(admin, { scope: 'user', scope_id: user.id, limit: '100' });
    await new WebhookClient(app, { token: client.token, user }).create(receiver.url());
    feed = await EventFeedReader.open(app.url, { token: client.token });
  });

  afterEach(() => feed.cut());

  const key = () => ({ 'idempotency-key': randomUUID() });
  const responses = (agent = AGENT) => new ResponsesClient(app.origin, client.token, agent);
  const turn = (role: string) => ({ role, content: uniqueContent() });

  async function complete(body: object = {}, headers = {}): Promise<void> {
    const answer = await new CompletionCaller(app.origin, client.token).complete(
      { model: AGENT, messages: [turn('user')], ...body },
      { headers },
    );
    expect(answer.status).toBe(200);
  }

  /** A conversation with one exchange. */
  async function spokenChat() {
    const { id: chatId } = await client.createChat();
    const { body } = await client.send(chatId, uniqueContent());
    const [question, reply] = body.map(({ id }) => id) as [number, number];
    return { chatId, path: `/chat/${chatId}/messages`, question, reply };
  }

  /** A conversation whose agent wants to call these tools, and the message that makes it. */
  async function actingChat(...calls: [tool: string, given: object][]) {
    const content = uniqueContent();
    await calling(content, ...calls);
    await saying(content, 'Done.');
    const chatId = await chatWith(calls.map(([name]) => ({ name })));
    return { chatId, send: () => client.send(chatId, content) };
  }

  async function waitingChat() {
    const { chatId, send } = await actingChat(['book', { what: 'a room' }]);
    await send();
    const [action] = await actionsOf(chatId);
    return { chatId, action };
  }

  const messages: Record<string, Scenario> = {
    'message-first': async () => {
      const { id } = await client.createChat();
      return () => client.send(id, uniqueContent());
    },
    'message-streamed': async () => {
      const { chatId } = await spokenChat();
      return async () => (await client.stream(chatId, uniqueContent())).rest();
    },
    'message-without-budget-and-feed': async () => {
      const other = await app.newClient();
      const { id } = await other.createChat();
      await other.send(id, uniqueContent());
      return () => other.send(id, uniqueContent());
    },
    'message-keyed-and-repeated': async () => {
      const { chatId } = await spokenChat();
      const [content, headers] = [uniqueContent(), key()];
      return async () => {
        const [first] = (await client.send(chatId, content, { headers })).body;
        const [again] = (await client.send(chatId, content, { headers })).body;
        expect(again.id).toBe(first.id);
      };
    },
    'message-with-file': async () => {
      const { chatId } = await spokenChat();
      const body = {
        parts: [
          { type: 'text', text: uniqueContent() },
          { type: 'image', url: PIXEL },
        ],
      };
      return () => client.request('/chat/message', { body: { chat_id: chatId, ...body } });
    },
    'message-edited': async () => {
      const { path, question } = await spokenChat();
      return () => client.request(`${path}/${question}`, { method: 'PUT', body: { content: uniqueContent() } });
    },
    'message-regenerated': async () => {
      const { path, reply } = await spokenChat();
      return () => client.request(`${path}/${reply}/regenerate`, { method: 'POST' });
    },
    'message-failed': async () => {
      const { chatId } = await spokenChat();
      const content = uniqueContent();
      await app.model.script({ key: content, status: 400, body: '{}' });
      return () => client.send(chatId, content);
    },
    'message-stopped': async () => {
      const { chatId } = await spokenChat();
      const content = uniqueContent();
      await app.model.script({ key: content, steps: [{ text: 'One' }, { hold: content }] });
      return async () => {
        const stream = await client.stream(chatId, content);
        await client.stop(chatId);
        await stream.rest();
      };
    },
    'message-refused-by-busy-chat': async () => {
      const { chatId } = await spokenChat();
      const content = uniqueContent();
      await app.model.script({ key: content, steps: [{ text: 'One' }, { hold: content }, { text: ' two' }] });
      return async () => {
        const stream = await client.stream(chatId, content);
        expect((await client.send(chatId, uniqueContent())).status).toBe(409);
        await app.model.release(content);
        await stream.rest();
      };
    },
  };

  const programs: Record<string, Scenario> = {
    completion: () => Promise.resolve(() => complete()),
    'completion-streamed': () => Promise.resolve(() => complete({ stream: true })),
    'completion-keyed-and-repeated': () => {
      const [body, headers] = [{ messages: [turn('user')] }, key()];
      return Promise.resolve(async () => {
        await complete(body, headers);
        await complete(body, headers);
      });
    },
    response: () => Promise.resolve(() => responses().create({ input: uniqueContent() })),
    'response-with-turns-and-key': () =>
      Promise.resolve(() => responses().post({ input: [turn('user'), turn('assistant'), turn('user')] }, key())),
    'response-not-stored': () => Promise.resolve(() => responses().create({ input: uniqueContent(), store: false })),
    'response-continued': async () => {
      const { id } = await responses().create({ input: uniqueContent() });
      return () => responses().create({ input: uniqueContent(), previous_response_id: id });
    },
    'response-branched': async () => {
      const { id } = await responses().create({ input: uniqueContent() });
      await responses().create({ input: uniqueContent(), previous_response_id: id });
      return () => responses().create({ input: uniqueContent(), previous_response_id: id });
    },
    'response-with-options': () =>
      Promise.resolve(() =>
        responses().create({ input: uniqueContent(), instructions: 'Be short.', metadata: { a: 'b' } }),
      ),
    'response-compacted': () =>
      Promise.resolve(() =>
        responses().request('/responses/compact', { body: { model: AGENT, input: uniqueContent() } }),
      ),
    'conversation-items-added': async () => {
      const { body } = await responses().request<{ id: string }>('/conversations', { body: {} });
      const path = `/conversations/${body.id}/items`;
      return () => responses().request(path, { body: { items: [turn('user'), turn('assistant')] } });
    },
  };

  const decisions: Record<string, Scenario> = {
    'reply-that-calls-a-tool': async () => (await actingChat(['calculate', { expression: '1' }])).send,
    'reply-that-asks': async () => (await actingChat(['book', { what: 'a room' }])).send,
    'decision-to-approve': async () => {
      const { chatId, action } = await waitingChat();
      const body = { decision: 'approve', arguments_hash: action?.arguments_hash };
      return async () => {
        const answer = await client.request(`/chat/${chatId}/actions/${action?.id}`, { body });
        expect(answer.status).toBe(200);
      };
    },
    'decision-to-deny': async () => {
      const { chatId, action } = await waitingChat();
      return () => client.request(`/chat/${chatId}/actions/${action?.id}`, { body: { decision: 'deny' } });
    },
    'response-that-asks-and-goes-on': async () => {
      const content = uniqueContent();
      await calling(content, ['book', { what: 'a room' }]);
      await saying(content, 'Done.');
      const caller = responses((await agentWith([{ name: 'book' }])).name);
      return async () => {
        const { id, output } = await caller.create({ input: content });
        const asked = output.find(({ type }) => type === 'mcp_approval_request');
        const input = [{ type: 'mcp_approval_response', approval_request_id: asked?.id, approve: true }];
        await caller.create({ previous_response_id: id, input });
      };
    },
    'message-that-declines': async () => {
      const { chatId } = await waitingChat();
      return () => client.send(chatId, uniqueContent());
    },
  };

  it.each(Object.entries({ ...messages, ...programs, ...decisions }))(
    '%s equal the kept ones',
    async (name, scenario) => {
      // The first run fills the caches.
      await log.record(await scenario());
      const statements = await log.record(await scenario());
      const file = join(__dirname, '../fixtures/statements', databaseEngine(), `${name}.txt`);
      if (process.env.TEST_KEEP_STATEMENTS === 'yes') {
        mkdirSync(join(file, '..'), { recursive: true });
        writeFileSync(file, statements);
      }
      expect(statements).toBe(readFileSync(file, 'utf8'));
    },
  );
});
