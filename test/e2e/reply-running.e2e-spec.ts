// @databases mariadb: requests at the same time
import { randomUUID } from 'node:crypto';
import { ReplyStopper } from '../../src/modules/generation/cluster/reply-stopper';
import { uniqueContent } from '../support/chat-client';
import { expectFailure } from '../support/http';
import { useChatApp, useClient } from '../support/use-app';

describe('a running reply', () => {
  const app = useChatApp();
  const client = useClient(app, { quotaMessagesOverride: 30 });
  let chatId: number;
  beforeEach(async () => {
    chatId = (await client.createChat()).id;
  });

  /** A content whose reply is "Hello ", waits for `release(content)`, and continues with "you". */
  async function heldContent(): Promise<string> {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Hello ' }, { hold: content }, { text: 'you' }] });
    return content;
  }

  it('is shown in the conversation', async () => {
    const content = await heldContent();
    const stream = await client.stream(chatId, content);
    const chat = await client.read(chatId);
    expect(chat.active_message_id).toBe(Number(stream.header('x-message-id')));
    expect(chat.messages[1]).toMatchObject({
      status: 'streaming',
      finish_reason: null,
      token_usage: null,
      completed_at: null,
    });
    await app.model.release(content);
    await stream.rest();
  });

  describe('stop', () => {
    it('keeps the text so far, closes the provider’s connection and releases the conversation', async () => {
      const content = await heldContent();
      const stream = await client.stream(chatId, content);
      await stream.until('Hello ');
      const answer = await client.stop(chatId);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        message: 'Reply stopped.',
        message_id: Number(stream.header('x-message-id')),
      });
      const { text, trailer } = await stream.plain();
      expect(text).toBe('Hello ');
      expect(trailer).toMatchObject({ status: 'stopped', finish_reason: 'cancelled', error: null, is_estimated: true });
      await app.model.waitFor('aborted', { key: content });
      const chat = await client.read(chatId);
      expect(chat.active_message_id).toBeNull();
      expect(chat.messages[1]).toMatchObject({ content: 'Hello ', status: 'stopped' });
      expect((await client.send(chatId, uniqueContent())).status).toBe(200);
    });

    it('counts the tokens for the model that wrote them', async () => {
      const content = await heldContent();
      const stream = await client.stream(chatId, content);
      await stream.until('Hello ');
      await client.stop(chatId);
      expect((await stream.plain()).trailer).toMatchObject({ model: 'scripted', completion_tokens: 2 });
      const admin = await app.newClient({ userType: 'admin' });
      const { id } = (await client.request<{ id: number }>('/auth/me')).body;
      const usage = await admin.request<{ data: { items: { key: string | null; tokens: number }[] } }>(
        `/admin/stats/usage?group_by=model&user_id=${id}`,
      );
      expect(usage.body.data.items.find(({ key }) => key === null)?.tokens).toBe(0);
    });

    it('ends a blocking request with the text so far', async () => {
      const content = await heldContent();
      const sending = client.send(chatId, content);
      await app.model.waitFor('received', { key: content });
      await client.stop(chatId);
      const { status, body } = await sending;
      expect([status, body[1].status]).toEqual([200, 'stopped']);
    });

    it('reports that the reply has already finished, and that none is running', async () => {
      const content = await heldContent();
      const stream = await client.stream(chatId, content);
      jest.spyOn(app.app.get(ReplyStopper), 'stop').mockImplementationOnce(async () => {
        await app.model.release(content);
        await stream.rest();
      });
      expect((await client.stop(chatId)).body).toMatchObject({ message: 'The reply has already ended.' });
      expect((await client.stop(chatId)).body).toEqual({ message: expect.any(String), message_id: null });
    });

    it('happens automatically when the conversation is deleted', async () => {
      const content = await heldContent();
      const stream = await client.stream(chatId, content);
      await stream.until('Hello ');
      await client.request(`/chat/${chatId}`, { method: 'DELETE' });
      expect((await stream.plain()).trailer.status).toBe('stopped');
      expectFailure(await client.request(`/chat/${chatId}/stream`), 404, 'CHAT_NOT_FOUND');
    });
  });

  describe('join', () => {
    it('returns the text from the offset on, in any format, to any number of readers', async () => {
      const content = await heldContent();
      const stream = await client.stream(chatId, content);
      await stream.until('Hello ');
      const joined = await Promise.all(
        ['offset=0', 'offset=2', 'offset=6', ''].map((query) => client.join(chatId, query)),
      );
      expect(joined[0]?.header('x-message-id')).toBe(stream.header('x-message-id'));
      expect(joined[0]?.header('x-user-message-id')).toBe(stream.header('x-user-message-id'));
      await app.model.release(content);
      const texts = await Promise.all(joined.map(async (each) => (await each.plain()).text));
      expect(texts).toEqual(['Hello you', 'llo you', 'you', 'Hello you']);
    });

    it('returns the missing part of a finished reply, and 204 if there is none', async () => {
      await client.send(chatId, uniqueContent());
      const rest = await client.join(chatId, 'offset=11');
      expect(await rest.plain()).toMatchObject({
        text: 'the model.',
        trailer: { status: 'completed', total_tokens: 16 },
      });
      for (const query of ['offset=21', 'offset=1000', '']) {
        expect((await client.join(chatId, query)).status).toBe(204);
      }
    });

    it('shows a reader with all the text of a failed reply how it ended', async () => {
      const content = uniqueContent();
      await app.model.script({ key: content, steps: [{ text: 'abc' }, { cut: true }] });
      await (await client.stream(chatId, content)).rest();
      const [start, ...rest] = await (await client.join(chatId, 'offset=3&stream_format=sse')).events();
      expect(start).toMatchObject({ event: 'message_start', id: 3, data: { offset: 3 } });
      expect(rest.map(({ event, id }) => `${event} ${id}`)).toEqual(['reply_error 3', 'error 3', 'message_end 3']);
      expect(rest.at(-1)?.data).toMatchObject({ status: 'failed', error: { code: 'PROVIDER_ERROR' } });
      expect((await client.join(chatId)).status).toBe(204);
    });

    it('shows a reader with more text than was stored of a cut reply where it ends', async () => {
      const content = await heldContent();
      const stream = await client.stream(chatId, content);
      await stream.until('Hello ');
      await client.stop(chatId);
      const { trailer } = await stream.plain();
      for (const offset of [6, 36]) {
        expect(await (await client.join(chatId, `offset=${offset}`)).plain()).toEqual({ text: '', trailer });
        const [start, end] = await (await client.join(chatId, `offset=${offset}&stream_format=sse`)).events();
        expect(start).toMatchObject({ event: 'message_start', id: 6, data: { offset: 6 } });
        expect(end).toMatchObject({ event: 'message_end', id: 6, data: { status: 'stopped' } });
      }
    });

    it('answers with the error of a reply that failed without text', async () => {
      const content = uniqueContent();
      await app.model.script({ key: content, status: 400 });
      await client.send(chatId, content);
      const joined = await client.join(chatId, 'offset=0');
      expect([joined.status, (await joined.failure()).code]).toEqual([502, 'PROVIDER_ERROR']);
    });

    it('answers HEAD immediately, which reads nothing', async () => {
      const content = await heldContent();
      const stream = await client.stream(chatId, content, { body: { on_disconnect: 'cancel' } });
      await stream.until('Hello ');
      const { status, headers } = await client.request(`/chat/${chatId}/stream`, { method: 'HEAD' });
      expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
      expect(headers.get('x-message-id')).toBe(stream.header('x-message-id'));
      await app.model.release(content);
      expect((await stream.plain()).text).toBe('Hello you');
      expect((await client.request(`/chat/${chatId}/stream`, { method: 'HEAD' })).status).toBe(204);
    });

    it('is 204 in a conversation without messages', async () => {
      expect((await client.join(chatId, 'offset=0')).status).toBe(204);
    });

    it.each(['offset=-1', 'offset=x', 'offset=1.5'])('refuses %s', async (query) => {
      expect((await client.join(chatId, query)).status).toBe(400);
    });
  });

  describe('limits', () => {
    it('accept one of two concurrent sends', async () => {
      const contents = [await heldContent(), await heldContent()];
      const answers = contents.map((content) => client.send(chatId, content));
      const first = await Promise.race(answers);
      const failure = expectFailure(first, 409, 'GENERATION_IN_PROGRESS');
      expect((await client.read(chatId)).active_message_id).toBe(failure.details.message_id);
      await Promise.all(contents.map((content) => app.model.release(content)));
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      expect(statuses.sort()).toEqual([200, 409]);
      expect((await client.read(chatId)).messages).toHaveLength(2);
      expect(await app.model.requests(contents[0])).toHaveLength(1 - (await app.model.requests(contents[1])).length);
    });

    it.each([
      ['free', 2],
      ['monthly', 4],
    ] as const)('allow a %s user %i concurrent replies', async (membershipType, limit) => {
      const user = await app.newClient({ membershipType });
      const chats = await Promise.all(Array.from({ length: limit + 2 }, () => user.createChat()));
      const content = await heldContent();
      const streams = await Promise.all(chats.map((chat) => user.stream(chat.id, content)));
      const refused = streams.filter(({ status }) => status === 429);
      expect(streams.filter(({ status }) => status === 200)).toHaveLength(limit);
      expect(refused).toHaveLength(2);
      for (const stream of refused) {
        expect(await stream.failure()).toMatchObject({
          code: 'TOO_MANY_CONCURRENT',
          details: { limit },
          retry_after: 5,
        });
        expect(stream.header('retry-after')).toBe('5');
      }
      await app.model.release(content);
      await Promise.all(streams.map((stream) => stream.rest()));
      const messages = await Promise.all(chats.map(async ({ id }) => (await user.read(id)).messages.length));
      expect(messages.sort()).toEqual([0, 0, ...Array.from({ length: limit }, () => 2)]);
    });

    it('refuse a message beyond the quota and store nothing', async () => {
      for (let sent = 0; sent < 30; sent++) {
        expect((await client.send(chatId, uniqueContent())).status).toBe(200);
      }
      const failure = expectFailure(await client.send(chatId, uniqueContent()), 429, 'QUOTA_EXCEEDED');
      expect(failure.details).toMatchObject({ quota: 'messages', limit: 30, used: 30 });
      expect((await client.read(chatId)).message_count).toBe(60);
    });

    it('refuse a message that does not fit the agent’s context window', async () => {
      const content = '漢字'.repeat(16_000);
      const long = await client.send(chatId, content);
      expect(long.status).toBe(200);
      const chat = await client.createChat({ agent_id: await smallAgent() });
      const failure = expectFailure(await client.send(chat.id, content), 422, 'CONTEXT_TOO_LONG');
      expect(failure.details).toMatchObject({ field: 'content', limit: 750, tokens: expect.any(Number) });
      expect((await client.read(chat.id)).messages).toEqual([]);
    });

    async function smallAgent(): Promise<number> {
      const admin = await app.newClient({ userType: 'admin' });
      const answer = await admin.request<{ data: { id: number } }>('/agents', {
        body: { name: `Small ${randomUUID()}`, system_prompt: 'Be brief.', context_max_tokens: 1000, status: 'active' },
      });
      return answer.body.data.id;
    }
  });
});
