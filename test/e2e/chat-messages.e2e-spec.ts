// @databases mariadb mysql: row locks
import { Database } from '../../src/database/database';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';
import { databaseEngine } from '../support/servers/test-database';
import { useChatApp, useClient } from '../support/use-app';

describe('messages', () => {
  const app = useChatApp();
  const client = useClient(app);
  let chatId: number;
  beforeEach(async () => {
    chatId = (await client.createChat({ title: 'Messages' })).id;
  });

  const list = (query = '') => client.request<MessageDto[]>(`/chat/${chatId}/messages${query}`);

  it('are refused without text, and nothing is stored', async () => {
    const answer = await client.request('/chat/message', { body: { chat_id: chatId, content: ' ' } });
    const { details } = expectFailure(answer, 422, 'VALIDATION_ERROR');
    expect(details).toMatchObject({ field: 'content', reason: 'blank' });
    expect((await client.read(chatId)).messages).toEqual([]);
  });

  it('of 32,000 characters are accepted', async () => {
    const content = '漢'.repeat(31_999) + '😀';
    expect((await client.send(chatId, content)).body[0].content).toBe(content);
  });

  it('are paged by the ids at their ends, oldest first', async () => {
    for (let index = 0; index < 3; index++) {
      await client.send(chatId, uniqueContent());
    }
    const all = await list();
    const ids = all.body.map(({ id }) => id);
    expect(all.headers.get('x-total-count')).toBe('6');
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    const part = async (query: string) => (await list(query)).body.map(({ id }) => id);
    expect(await part('?limit=2')).toEqual(ids.slice(4));
    expect(await part(`?limit=2&before=${ids[4]}`)).toEqual(ids.slice(2, 4));
    expect(await part(`?limit=2&after=${ids[1]}`)).toEqual(ids.slice(2, 4));
    expect(await part(`?after=${ids[0]}&before=${ids[3]}`)).toEqual(ids.slice(1, 3));
    expect(await part(`?limit=1&after=${ids[0]}&before=${ids[3]}`)).toEqual(ids.slice(2, 3));
    expect(await part('?after=0&limit=1')).toEqual(ids.slice(0, 1));
    const elsewhere = (await client.send((await client.createChat()).id, uniqueContent())).body[0].id;
    expect(await part(`?limit=2&before=${elsewhere}`)).toEqual(ids.slice(4));
    expect(await part(`?after=${elsewhere}`)).toEqual([]);
    expectFailure(await list('?limit=0'), 400, 'VALIDATION_ERROR');
  });

  describe('the model', () => {
    it('receives the agent’s prompt, the conversation so far and the requested language', async () => {
      const [first, second] = [uniqueContent('first'), uniqueContent('second')];
      await client.send(chatId, first);
      await client.send(chatId, second, { body: { lang: 'pt-BR' } });
      const [request] = await app.model.requests(second);
      const [system, ...turns] = request?.body.messages ?? [];
      expect(system?.role).toBe('system');
      expect(system?.content).toMatch(/Answer in Brazilian Portuguese unless/);
      expect(turns).toEqual([
        { role: 'user', content: first },
        { role: 'assistant', content: 'Hello from the model.' },
        { role: 'user', content: second },
      ]);
      const [earlier] = await app.model.requests(first);
      expect(earlier?.body.messages[0]?.content).not.toMatch(/Answer in \w+ unless/);
    });

    it("receives the user's instructions for every agent", async () => {
      await client.request('/user/settings', { method: 'PUT', body: { custom_instructions: 'Call me Ishmael.' } });
      const content = uniqueContent();
      await client.send(chatId, content);
      const [request] = await app.model.requests(content);
      expect(request?.body.messages[0]?.content).toMatch(/Call me Ishmael\.$/);
    });

    it('receives the newest messages that fit, starting with a user message', async () => {
      const admin = await app.newClient({ userType: 'admin' });
      const agent = await admin.request<{ data: { id: number } }>('/agents', {
        body: { name: uniqueContent('Small'), system_prompt: 'Be brief.', context_max_messages: 4, status: 'active' },
      });
      const chat = await client.createChat({ agent_id: agent.body.data.id });
      const contents = [uniqueContent('1'), uniqueContent('2'), uniqueContent('3')];
      for (const content of contents) {
        await client.send(chat.id, content);
      }
      const [request] = await app.model.requests(contents[2]);
      expect(request?.body.messages.map(({ role, content }) => (role === 'user' ? content : role))).toEqual([
        'system',
        contents[1],
        'assistant',
        contents[2],
      ]);
    });
  });

  describe('feedback', () => {
    const rate = (messageId: number, body: object) =>
      client.request<MessageDto>(`/chat/${chatId}/messages/${messageId}/feedback`, { method: 'PUT', body });

    it('is stored with the reply, changed and withdrawn', async () => {
      const [user, reply] = (await client.send(chatId, uniqueContent())).body;
      const liked = await rate(reply.id, { rating: 'like', comment: 'Good' });
      expect([liked.status, liked.body.feedback]).toEqual([200, { rating: 'like', comment: 'Good' }]);
      expect((await client.read(chatId)).messages[1]?.feedback).toEqual({ rating: 'like', comment: 'Good' });
      expect((await rate(reply.id, { rating: 'dislike' })).body.feedback).toEqual({ rating: 'dislike', comment: null });
      expect((await rate(reply.id, { rating: null })).body.feedback).toBeNull();
      expectFailure(await rate(user.id, { rating: 'like' }), 404, 'MESSAGE_NOT_FOUND');
    });

    it('counts for the agent once, even in concurrent requests', async () => {
      const admin = await app.newClient({ userType: 'admin' });
      const agent = await admin.request<{ data: { id: number } }>('/agents', {
        body: { name: uniqueContent('Rated'), system_prompt: 'Be brief.', status: 'active' },
      });
      const { id: agentId } = agent.body.data;
      chatId = (await client.createChat({ agent_id: agentId })).id;
      const [, reply] = (await client.send(chatId, uniqueContent())).body;
      const likesAndDislikes = async () => {
        const { body } = await admin.request<{ data: { likes: number; dislikes: number } }>(`/agents/${agentId}/stats`);
        return [body.data.likes, body.data.dislikes];
      };
      const rateOften = (rating: string | null) =>
        Promise.all(Array.from({ length: 8 }, () => rate(reply.id, { rating })));
      expect((await rateOften('like')).map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
      expect(await likesAndDislikes()).toEqual([1, 0]);
      await rateOften('dislike');
      expect(await likesAndDislikes()).toEqual([0, 1]);
      await rateOften(null);
      expect(await likesAndDislikes()).toEqual([0, 0]);
    });

    it('refuses an unknown rating', async () => {
      const [, reply] = (await client.send(chatId, uniqueContent())).body;
      expectFailure(await rate(reply.id, { rating: 'love' }), 422, 'VALIDATION_ERROR');
    });
  });
});

// SQLite runs one transaction at a time.
if (databaseEngine() !== 'sqlite') {
  describe('a conversation that another transaction has locked', () => {
    const app = useChatApp();
    const client = useClient(app);

    /** Locks the row of a conversation while `work` runs. */
    async function whileLocked(chatId: number, work: () => Promise<void>): Promise<void> {
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      let isHeld = false;
      const transaction = app.app.get(Database).write(async (manager) => {
        await manager.query('SELECT id FROM chats WHERE id = ? FOR UPDATE', [chatId]);
        isHeld = true;
        await held;
      });
      try {
        await eventually(() => isHeld);
        await work();
      } finally {
        release();
        await transaction;
      }
    }

    async function millisecondsOf(work: Promise<{ status: number }>): Promise<number> {
      const began = performance.now();
      expect((await work).status).toBe(200);
      return performance.now() - began;
    }

    it('refuses a message within ten seconds, and does not block other conversations of its user', async () => {
      const [locked, other] = [await client.createChat(), await client.createChat()];
      await whileLocked(locked.id, async () => {
        const began = performance.now();
        const refused = client.send(locked.id, uniqueContent());
        for (let sent = 0; sent < 3; sent++) {
          expect(await millisecondsOf(client.send(other.id, uniqueContent()))).toBeLessThan(3_000);
        }
        const answer = await refused;
        expectFailure(answer, 503, 'SERVICE_UNAVAILABLE');
        expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
        expect(performance.now() - began).toBeLessThan(10_000);
      });
      expect((await client.read(locked.id)).messages).toEqual([]);
      expect((await client.send(locked.id, uniqueContent())).status).toBe(200);
    });

    it('does not block them when one of its replies finishes either, and the reply is stored afterwards', async () => {
      const [locked, other] = [await client.createChat(), await client.createChat()];
      const content = uniqueContent();
      await app.model.script({ key: content, steps: [{ text: 'Hello ' }, { hold: content }, { text: 'you' }] });
      const stream = await client.stream(locked.id, content);
      await stream.until('Hello ');
      await whileLocked(locked.id, async () => {
        await app.model.release(content);
        await stream.until('you');
        expect(await millisecondsOf(client.send(other.id, uniqueContent()))).toBeLessThan(3_000);
      });
      expect(await stream.plain()).toMatchObject({ text: 'Hello you', trailer: { status: 'completed' } });
    });
  });
}
