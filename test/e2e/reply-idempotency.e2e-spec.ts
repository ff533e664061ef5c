// @databases mariadb: requests at the same time
import { randomUUID } from 'node:crypto';
import { ChatRetention } from '../../src/modules/chat/chat.retention';
import { IdempotencyService } from '../../src/modules/generation/idempotency/idempotency.service';
import { replyFailure, uniqueContent } from '../support/chat-client';
import { type ErrorAnswer, expectFailure } from '../support/http';
import { useChatApp, useClient } from '../support/use-app';

describe('the header Idempotency-Key', () => {
  const app = useChatApp({ QUOTA_FREE_MESSAGES: '30' });
  const client = useClient(app);
  let chatId: number;
  beforeEach(async () => {
    chatId = (await client.createChat()).id;
  });

  const keyed = () => ({ headers: { 'idempotency-key': randomUUID() } });

  it('ten times in parallel calls the model once, and returns the same answer each time', async () => {
    const content = uniqueContent();
    const options = keyed();
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.send(chatId, content, options)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await app.model.requests(content)).toHaveLength(1);
    expect((await client.read(chatId)).messages).toHaveLength(2);
    expect((await client.request('/user/total-stats')).body).toMatchObject({
      total_messages: 2,
      total_tokens: 16,
      total_chats: 1,
    });
  });

  it('joins the running stream, from its start', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'Hello ' }, { hold: content }, { text: 'you' }] });
    const options = keyed();
    const first = await client.stream(chatId, content, options);
    await first.until('Hello ');
    const second = await client.stream(chatId, content, options);
    await second.until('Hello ');
    await app.model.release(content);
    expect(await second.plain()).toEqual(await first.plain());
    const third = await client.stream(chatId, content, options);
    expect(await third.plain()).toEqual(await first.plain());
    expect(await app.model.requests(content)).toHaveLength(1);
  });

  it('returns the title as long as it is the one from this exchange', async () => {
    const [first, second] = [uniqueContent('Title'), uniqueContent('No title')];
    const [firstOptions, secondOptions] = [keyed(), keyed()];
    const trailerOf = async (content: string, options: object) =>
      (await (await client.stream(chatId, content, options)).plain()).trailer;
    expect(await trailerOf(first, firstOptions)).toHaveProperty('title', first);
    expect(await trailerOf(second, secondOptions)).not.toHaveProperty('title');
    expect(await trailerOf(first, firstOptions)).toHaveProperty('title', first);
    expect(await trailerOf(second, secondOptions)).not.toHaveProperty('title');
    expect((await (await client.join(chatId, 'offset=0')).plain()).trailer).not.toHaveProperty('title');
    await client.request(`/chat/${chatId}`, { method: 'PUT', body: { title: 'Mine' } });
    expect(await trailerOf(first, firstOptions)).not.toHaveProperty('title');
  });

  it('regenerates a reply once, and recognises a different request', async () => {
    const content = uniqueContent();
    await client.send(chatId, content);
    const options = keyed();
    const regenerate = (body: object = {}) =>
      client.send(chatId, content, { body: { trigger: 'regenerate-message', ...body }, ...options });
    const answers = await Promise.all(Array.from({ length: 5 }, () => regenerate()));
    answers.push(await regenerate());
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(await app.model.requests(content)).toHaveLength(2);
    expect((await client.read(chatId, '?branches=all')).messages).toHaveLength(3);
    expectFailure(await client.send(chatId, content, options), 409, 'IDEMPOTENCY_CONFLICT');
    expectFailure(await regenerate({ message_id: 1 }), 409, 'IDEMPOTENCY_CONFLICT');
    expectFailure(await regenerate({ lang: 'de' }), 409, 'IDEMPOTENCY_CONFLICT');
  });

  it('finds nothing when the conversation was deleted or erased', async () => {
    const [created, sent] = [keyed(), keyed()];
    const content = uniqueContent();
    const create = () => client.request<{ id: number }>('/chat', { body: {}, ...created });
    const { id } = (await create()).body;
    await client.send(id, content, sent);
    await client.request(`/chat/${id}`, { method: 'DELETE' });
    expectFailure(await create(), 404, 'CHAT_NOT_FOUND');
    expectFailure(await client.send(id, content, sent), 404, 'CHAT_NOT_FOUND');
    await app.app.get(ChatRetention).erase([id]);
    expectFailure(await create(), 404, 'CHAT_NOT_FOUND');
    expectFailure(await client.send(id, content, sent), 404, 'CHAT_NOT_FOUND');
    expect(await app.model.requests(content)).toHaveLength(1);
  });

  it('is forgotten after a day', async () => {
    const options = keyed();
    const content = uniqueContent();
    app.freezeClock();
    const first = await client.send(chatId, content, options);
    app.advanceClock(86_399_999);
    expect((await client.send(chatId, content, options)).text).toBe(first.text);
    app.advanceClock(1);
    expect((await client.send(chatId, content, options)).status).toBe(200);
    app.resetClock();
    expect(await app.model.requests(content)).toHaveLength(2);
  });

  it('is a conflict with another body or route', async () => {
    const options = keyed();
    await client.send(chatId, uniqueContent(), options);
    expectFailure(await client.send(chatId, uniqueContent(), options), 409, 'IDEMPOTENCY_CONFLICT');
    expectFailure(await client.request('/chat', { body: {}, ...options }), 409, 'IDEMPOTENCY_CONFLICT');
  });

  it('belongs to one user', async () => {
    const options = keyed();
    const other = await app.newClient();
    const theirs = await other.createChat();
    expect((await client.send(chatId, uniqueContent(), options)).status).toBe(200);
    expect((await other.send(theirs.id, uniqueContent(), options)).status).toBe(200);
  });

  it('is refused temporarily if reads do not show earlier writes yet, as on a server that has left its group', async () => {
    const options = keyed();
    const content = uniqueContent();
    const first = await client.send(chatId, content, options);
    const reads = jest.spyOn(app.app.get(IdempotencyService), 'find').mockResolvedValue(null);
    expectFailure(await client.send(chatId, content, options), 503, 'SERVICE_UNAVAILABLE');
    expectFailure(await client.request('/chat', { body: {}, ...options }), 503, 'SERVICE_UNAVAILABLE');
    reads.mockRestore();
    expect((await client.send(chatId, content, options)).text).toBe(first.text);
    expect(await app.model.requests(content)).toHaveLength(1);
  });

  it('repeats a failure without calling the model again', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, status: 400 });
    const options = keyed();
    const first = replyFailure(await client.send(chatId, content, options), 502, 'PROVIDER_ERROR');
    const second = replyFailure(await client.send(chatId, content, options), 502, 'PROVIDER_ERROR');
    expect(second).toEqual(first);
    expect(await app.model.requests(content)).toHaveLength(1);
  });

  it('creates one conversation in any number of concurrent requests', async () => {
    const options = keyed();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        client.request<{ id: number }>('/chat', { body: { title: 'Once' }, ...options }),
      ),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect((await client.request<unknown[]>('/chat')).headers.get('x-total-count')).toBe('2');
  });

  it('is answered when the quota is used up', async () => {
    const options = keyed();
    const content = uniqueContent();
    const first = await client.send(chatId, content, options);
    for (let sent = 1; sent < 30; sent++) {
      await client.send(chatId, uniqueContent());
    }
    expect((await client.send(chatId, uniqueContent())).status).toBe(429);
    expect((await client.send(chatId, content, options)).text).toBe(first.text);
  });

  it.each(['', 'a b', 'ä', 'x'.repeat(65)])('refuses the key %j', async (key) => {
    const answer = await client.request<ErrorAnswer>('/chat', {
      body: {},
      headers: { 'idempotency-key': Buffer.from(key, 'utf8').toString('latin1') },
    });
    expect(expectFailure(answer, 400, 'VALIDATION_ERROR').details).toMatchObject({ field: 'Idempotency-Key' });
  });
});
