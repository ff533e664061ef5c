import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { replyFailure, uniqueContent } from '../support/chat-client';
import { readLine, turnsOf } from '../support/chat-line';
import { ReplyStream } from '../support/chat-stream';
import { type Answer, expectFailure } from '../support/http';
import { useChatApp, useClient } from '../support/use-app';

type Exchange = [MessageDto, MessageDto];

describe('editing', () => {
  const app = useChatApp();
  const client = useClient(app);
  let chatId: number;
  let contents: string[];
  let exchanges: Exchange[];
  beforeEach(async () => {
    chatId = (await client.createChat()).id;
    contents = ['first', 'second', 'third'].map((text) => uniqueContent(text));
    exchanges = [];
    for (const content of contents) {
      exchanges.push((await client.send(chatId, content)).body);
    }
  });

  const edit = (
    messageId: number,
    content: string,
    { query = '', body = {}, headers = {} }: { query?: string; body?: object; headers?: Record<string, string> } = {},
  ): Promise<Answer<Exchange>> =>
    client.request(`/chat/${chatId}/messages/${messageId}${query}`, {
      method: 'PUT',
      body: { content, ...body },
      headers,
    });

  const line = () => readLine(client, chatId);

  const idOf = (index: number) => exchanges[index]![0].id;

  it('adds the new wording next to the old one, and removes later messages from the branch', async () => {
    const [first = '', second] = contents;
    const content = uniqueContent('edited');
    const { status, body } = await edit(idOf(1), content);
    expect(status).toBe(200);
    const [user, reply] = body;
    expect(user).toMatchObject({ role: 'user', content, parent_id: exchanges[0]![1].id, is_current: true });
    expect(reply).toMatchObject({ role: 'assistant', parent_id: user.id, status: 'completed' });
    expect(await line()).toEqual([first, content]);
    expect(await turnsOf(app.model, content)).toEqual([first, content]);
    const all = (await client.read(chatId, '?branches=all')).messages;
    expect(all).toHaveLength(8);
    const old = all.find((message) => message.content === second);
    expect(old).toMatchObject({ id: idOf(1), parent_id: user.parent_id, is_current: false });
    const { body: exported } = await client.request<{ messages: MessageDto[] }>('/user/export');
    expect(exported.messages.filter(({ is_current }) => is_current).map(({ id }) => id)).toEqual(
      all.filter(({ is_current }) => is_current).map(({ id }) => id),
    );
    expect(exported.messages).toHaveLength(8);
  });

  it('continues from there, and an edit can be edited', async () => {
    const [first = ''] = contents;
    const [a, b, next] = [uniqueContent('a'), uniqueContent('b'), uniqueContent('next')];
    const [wordedOnce] = (await edit(idOf(1), a)).body;
    const [wordedTwice] = (await edit(wordedOnce.id, b)).body;
    expect(wordedTwice.parent_id).toBe(wordedOnce.parent_id);
    await client.send(chatId, next);
    expect(await line()).toEqual([first, b, next]);
    expect(await turnsOf(app.model, next)).toEqual([first, b, next]);
  });

  it('edits the first message, and one with a regenerated reply; the title stays', async () => {
    const { title } = await client.read(chatId);
    const [a, b] = [uniqueContent('a'), uniqueContent('b')];
    const [, reply] = (await edit(idOf(0), a)).body;
    expect(reply.parent_id).not.toBeNull();
    expect(await line()).toEqual([a]);
    await client.request(`/chat/${chatId}/messages/${reply.id}/regenerate`, { method: 'POST' });
    await edit(reply.parent_id!, b);
    expect(await line()).toEqual([b]);
    expect((await client.read(chatId)).title).toBe(title);
    expect(
      (await client.read(chatId, '?branches=all')).messages.filter(({ parent_id }) => parent_id === null),
    ).toHaveLength(3);
  });

  it('streams in every format, with the headers of a send', async () => {
    for (const [query, contentType] of [
      ['?stream=true', 'text/plain; charset=utf-8'],
      ['?stream_format=sse', 'text/event-stream; charset=utf-8'],
      ['?stream_format=ui_message', 'text/event-stream; charset=utf-8'],
    ] as const) {
      const answer = await edit(idOf(2), uniqueContent(), { query });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, contentType]);
      expect(answer.text).toContain('Hello');
      const { messages } = await client.read(chatId);
      expect(answer.headers.get('x-user-message-id')).toBe(String(messages.at(-2)?.id));
      expect(answer.headers.get('x-message-id')).toBe(String(messages.at(-1)?.id));
      expect(answer.headers.get('x-quota-messages-remaining')).toMatch(/^\d+$/);
    }
  });

  it('runs once, however often it is sent with one key', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const content = uniqueContent();
    const answers = [await edit(idOf(1), content, { headers }), await edit(idOf(1), content, { headers })];
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    expect((await client.read(chatId, '?branches=all')).messages).toHaveLength(8);
    expectFailure(await edit(idOf(1), uniqueContent(), { headers }), 409, 'IDEMPOTENCY_CONFLICT');
    expectFailure(await edit(idOf(2), content, { headers }), 409, 'IDEMPOTENCY_CONFLICT');
  });

  it('counts as a sent message, and is refunded if the reply fails without text', async () => {
    const left = async () => (await client.request<{ messages: { used: number } }>('/user/quota')).body.messages.used;
    expect(await left()).toBe(3);
    await edit(idOf(2), uniqueContent());
    expect(await left()).toBe(4);
    const content = uniqueContent();
    await app.model.script({ key: content, status: 400 });
    const answer = await edit(idOf(2), content);
    replyFailure(answer, 502, 'PROVIDER_ERROR');
    expect(await left()).toBe(4);
    expect((await line()).at(-1)).toBe(content);
  });

  it('concurrent with other edits makes one of them the current branch', async () => {
    const wordings = Array.from({ length: 6 }, () => uniqueContent());
    const answers = await Promise.all(wordings.map((wording) => edit(idOf(1), wording)));
    expect(answers.map(({ status }) => status)).toContain(200);
    expect(answers.filter(({ status }) => ![200, 409].includes(status))).toEqual([]);
    expect(await line()).toHaveLength(2);
  });

  it('refuses a message that is not the user’s own, and changes nothing', async () => {
    const stranger = await app.newClient();
    const other = await client.createChat();
    const [foreign] = (await client.send(other.id, uniqueContent())).body;
    expectFailure(await edit(exchanges[0]![1].id, 'x'), 404, 'MESSAGE_NOT_FOUND');
    expectFailure(await edit(foreign.id, 'x'), 404, 'MESSAGE_NOT_FOUND');
    expectFailure(await edit(999_999, 'x'), 404, 'MESSAGE_NOT_FOUND');
    expectFailure(
      await stranger.request(`/chat/${chatId}/messages/${idOf(0)}`, { method: 'PUT', body: { content: 'x' } }),
      404,
      'CHAT_NOT_FOUND',
    );
    expectFailure(await edit(idOf(0), ' \n'), 422, 'VALIDATION_ERROR');
    expect((await client.read(chatId, '?branches=all')).messages).toHaveLength(6);
  });

  it('needs a free conversation, like switching the branch', async () => {
    const content = uniqueContent();
    await edit(idOf(2), uniqueContent());
    await app.model.script({ key: content, steps: [{ text: 'Hello ' }, { hold: content }] });
    const stream = await ReplyStream.open(`${app.url}/chat/message?stream=true`, {
      token: client.token,
      body: { chat_id: chatId, content },
    });
    await stream.until('Hello ');
    const busy = expectFailure(await edit(idOf(0), 'x'), 409, 'GENERATION_IN_PROGRESS');
    expect(busy.details).toEqual({ message_id: Number(stream.header('x-message-id')) });
    const otherLine = { method: 'PUT', body: { message_id: idOf(2) } };
    expectFailure(await client.request(`/chat/${chatId}/line`, otherLine), 409, 'GENERATION_IN_PROGRESS');
    await app.model.release(content);
    await stream.rest();
  });

  it('is refused beyond the quota, and does not change the branch', async () => {
    const user = await app.newClient({ quotaMessagesOverride: 1 });
    const chat = await user.createChat();
    const [message, reply] = (await user.send(chat.id, uniqueContent())).body;
    const path = `/chat/${chat.id}/messages/${message.id}`;
    expectFailure(await user.request(path, { method: 'PUT', body: { content: 'x' } }), 429, 'QUOTA_EXCEEDED');
    expect((await user.read(chat.id, '?branches=all')).messages).toEqual([message, reply]);
  });
});
