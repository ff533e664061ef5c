// @databases mariadb: requests at the same time
import { setTimeout as delay } from 'node:timers/promises';
import type { ChatDto } from '../../src/modules/chat/chats/chat.dto';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { RunningLimit } from '../../src/modules/generation/starting/running-limit';
import { uniqueContent } from '../support/chat-client';
import { ReplyStream } from '../support/chat-stream';
import { expectFailure } from '../support/http';
import { useChatApp, useClient } from '../support/use-app';

describe('regenerating', () => {
  const app = useChatApp();
  const client = useClient(app);
  let chatId: number;
  beforeEach(async () => {
    chatId = (await client.createChat({ title: 'Regenerating' })).id;
  });

  const list = (query = '') => client.request<MessageDto[]>(`/chat/${chatId}/messages${query}`);
  const regenerate = (messageId: number, query = '') =>
    client.request<[MessageDto, MessageDto]>(`/chat/${chatId}/messages/${messageId}/regenerate${query}`, {
      method: 'POST',
    });

  it('replaces the earlier reply, which stays as a branch', async () => {
    const content = uniqueContent();
    const [user, first] = (await client.send(chatId, content)).body;
    await app.model.script({ key: content, steps: [{ text: 'Another.' }] });
    const answer = await regenerate(first.id);
    expect(answer.status).toBe(200);
    const [sameUser, second] = answer.body;
    expect(sameUser).toEqual(user);
    expect(second).toMatchObject({ role: 'assistant', content: 'Another.', parent_id: user.id, status: 'completed' });
    const chat = await client.read(chatId);
    expect(chat.messages.map(({ id }) => id)).toEqual([user.id, second.id]);
    expect(chat.message_count).toBe(2);
    const all = await client.read(chatId, '?branches=all');
    expect(all.messages.map(({ id }) => id)).toEqual([user.id, first.id, second.id]);
    expect((await list('?branches=all')).headers.get('x-total-count')).toBe('3');
    expect((await app.model.requests(content))[1]?.body.messages.at(-1)?.content).toBe(content);
  });

  describe('an earlier reply', () => {
    let contents: string[];
    let exchanges: [MessageDto, MessageDto][];
    let anew: MessageDto;

    beforeEach(async () => {
      contents = [uniqueContent('first'), uniqueContent('second'), uniqueContent('third')];
      exchanges = [];
      for (const content of contents.slice(0, 2)) {
        await app.model.script({ key: content, times: 1, steps: [{ text: `To ${content}` }] });
        exchanges.push((await client.send(chatId, content)).body);
      }
      await app.model.script({ key: contents[0], times: 1, steps: [{ text: 'Anew' }] });
      anew = (await regenerate(exchanges[0]![0].id)).body[1];
    });

    const idsOf = (messages: MessageDto[] = []) => messages.map(({ id }) => id);

    it('ends the branch with the new reply for all readers, and removes the earlier one and later messages from it', async () => {
      const [[u1, a1], [u2, a2]] = exchanges as [[MessageDto, MessageDto], [MessageDto, MessageDto]];
      const order = [u1.id, anew.id];
      expect(idsOf((await client.read(chatId)).messages)).toEqual(order);
      expect(idsOf((await client.read(chatId, '?branches=all')).messages)).toEqual([
        u1.id,
        a1.id,
        anew.id,
        u2.id,
        a2.id,
      ]);
      const { body: listed } = await client.request<ChatDto[]>('/chat?include_messages=true');
      expect(idsOf(listed[0]?.messages)).toEqual(order);
      const { body: exported } = await client.request<{ messages: MessageDto[] }>('/user/export');
      expect(idsOf(exported.messages)).toEqual([u1.id, a1.id, anew.id, u2.id, a2.id]);
      const part = async (query: string) => idsOf((await list(query)).body);
      expect(await part('')).toEqual(order);
      expect(await part(`?limit=2&before=${u2.id}`)).toEqual([u1.id, anew.id]);
      expect(await part(`?limit=1&before=${u2.id}`)).toEqual([anew.id]);
      expect(await part(`?before=${anew.id}`)).toEqual([u1.id]);
      expect(await part(`?limit=1&after=${u1.id}`)).toEqual([anew.id]);
      expect(await part(`?after=${anew.id}`)).toEqual([]);
      expect(await part(`?after=${a1.id}`)).toEqual([anew.id]);
      expect(await part(`?branches=all&after=${a1.id}&before=${a2.id}`)).toEqual([anew.id, u2.id]);
      expect(await part(`?branches=all&limit=1&before=${anew.id}`)).toEqual([a1.id]);
    });

    it('sends the model the messages before it, and includes the new reply in later prompts', async () => {
      const [first = '', second = '', third = ''] = contents;
      const turnsOf = async (content: string, index: number) =>
        (await app.model.requests(content))[index]?.body.messages.slice(1).map((message) => message.content);
      expect(await turnsOf(first, 1)).toEqual([first]);
      await client.send(chatId, third);
      expect(await turnsOf(third, 0)).toEqual([first, 'Anew', third]);
      // A message outside the current branch has its own branch, and regenerating makes it current.
      await regenerate(exchanges[1]![1].id);
      expect(await turnsOf(second, 1)).toEqual([first, `To ${first}`, second]);
    });

    it('that fails does not change the branch', async () => {
      const third = uniqueContent('third');
      const [, last] = (await client.send(chatId, third)).body;
      const before = (await client.read(chatId)).messages;
      await app.model.script({ key: contents[0], status: 400 });
      await regenerate(before[0]!.id);
      const after = await client.read(chatId);
      expect([after.messages, after.message_count]).toEqual([before, 4]);
      expect((await client.send(chatId, uniqueContent())).body[0].parent_id).toBe(last.id);
    });

    it('continues for a reader who lost the connection, and does not send the rest of another reply', async () => {
      const rest = await client.join(chatId, 'offset=2');
      expect((await rest.plain()).text).toBe('ew');
      expect(rest.header('x-message-id')).toBe(String(anew.id));
    });
  });

  it('works from the user’s message too, and streams', async () => {
    const [user] = (await client.send(chatId, uniqueContent())).body;
    const answer = await regenerate(user.id, '?stream=true');
    expect(answer.text).toMatch(/^Hello from the model\.\n__TOKEN_USAGE__\{/);
    expect(answer.headers.get('x-user-message-id')).toBe(String(user.id));
  });

  it('that fails keeps the earlier reply', async () => {
    const content = uniqueContent();
    const [user, first] = (await client.send(chatId, content)).body;
    await app.model.script({ key: content, status: 400 });
    expectFailure(await regenerate(first.id), 502, 'PROVIDER_ERROR');
    expect((await client.read(chatId)).messages.map(({ id }) => id)).toEqual([user.id, first.id]);
    expect((await client.read(chatId, '?branches=all')).messages.at(-1)).toMatchObject({ status: 'failed' });
  });

  it('that is stopped before its first token keeps the earlier reply', async () => {
    const content = uniqueContent();
    const [user, first] = (await client.send(chatId, content)).body;
    await app.model.script({ key: content, hang: true });
    const answer = regenerate(first.id);
    await app.model.waitFor('received', { key: content, count: 2 });
    await client.stop(chatId);
    expect((await answer).body[1]).toMatchObject({ status: 'stopped', content: '' });
    expect((await client.read(chatId)).messages.map(({ id }) => id)).toEqual([user.id, first.id]);
    expect((await client.read(chatId, '?branches=all')).messages.at(-1)).toMatchObject({ status: 'stopped' });
  });

  it('that is stopped within its text replaces it nevertheless', async () => {
    const content = uniqueContent();
    const [user, { id }] = (await client.send(chatId, content)).body;
    await app.model.script({ key: content, steps: [{ text: 'Hello ' }, { hold: content }] });
    const url = `${app.url}/chat/${chatId}/messages/${id}/regenerate?stream=true`;
    const stream = await ReplyStream.open(url, { token: client.token, body: {} });
    await stream.until('Hello ');
    await client.stop(chatId);
    const { messages } = await client.read(chatId);
    expect(messages).toMatchObject([{ id: user.id }, { content: 'Hello ', status: 'stopped', parent_id: user.id }]);
  });

  it('several times concurrently makes one reply current', async () => {
    const [user, first] = (await client.send(chatId, uniqueContent())).body;
    const answers = await Promise.all(Array.from({ length: 6 }, () => regenerate(first.id)));
    expect(answers.map(({ status }) => status)).toContain(200);
    const { messages, message_count } = await client.read(chatId);
    expect([messages.length, messages[0]?.id, message_count]).toEqual([2, user.id, 2]);
  });

  it('is refused when the daily tokens are used up', async () => {
    const user = await app.newClient({ quotaTokensOverride: 10 });
    const chat = await user.createChat();
    const [, reply] = (await user.send(chat.id, uniqueContent())).body;
    const path = `/chat/${chat.id}/messages/${reply.id}/regenerate`;
    expectFailure(await user.request(path, { method: 'POST' }), 429, 'QUOTA_EXCEEDED');
  });

  it('is subject to the limit of concurrent replies', async () => {
    const content = uniqueContent();
    const exchanges: [MessageDto, MessageDto][] = [];
    for (let sent = 0; sent < 8; sent++) {
      exchanges.push((await client.send((await client.createChat()).id, `${content} ${sent}`)).body);
    }
    await app.model.script({ key: content, steps: [{ text: 'Anew ' }, { hold: content }, { text: 'and more' }] });
    letTransactionsMeet(exchanges.length);
    const { url, token } = client;
    const streams = await Promise.all(
      exchanges.map(([, { chat_id, id }]) =>
        ReplyStream.open(`${url}/chat/${chat_id}/messages/${id}/regenerate?stream=true`, { token, body: {} }),
      ),
    );
    expect(streams.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429, 429, 429, 429, 429]);
    await app.model.release(content);
    await Promise.all(streams.map((stream) => stream.rest()));
  });

  /** Makes transactions that start a reply wait for this many others before they commit, unless those wait for them. */
  function letTransactionsMeet(count: number): void {
    const limit = app.app.get(RunningLimit);
    const assertMayRun = limit.assertMayRun.bind(limit);
    let arrived = 0;
    let allArrived = (): void => undefined;
    const meeting = new Promise<void>((resolve) => (allArrived = resolve));
    jest.spyOn(limit, 'assertMayRun').mockImplementation(async (...user) => {
      await assertMayRun(...user);
      if (++arrived === count) {
        allArrived();
      }
      await Promise.race([meeting, delay(300)]);
    });
  }

  it('uses the language of the message, unless another one is requested', async () => {
    const content = uniqueContent();
    chatId = (await client.createChat({ lang: 'de' })).id;
    const [inFrench] = (await client.send(chatId, `${content} a`, { body: { lang: 'fr' } })).body;
    const [inGerman] = (await client.send(chatId, `${content} b`)).body;
    await regenerate(inFrench.id);
    await regenerate(inGerman.id);
    const path = `/chat/${chatId}/messages/${inFrench.id}/regenerate`;
    await client.request(path, { body: { lang: 'es' } });
    const systems = (await app.model.requests(content)).map(({ body }) => body.messages[0]?.content);
    const languages = systems.map((text) => /Answer in (\w+) unless/.exec(String(text))?.[1]);
    expect(languages).toEqual(['French', 'German', 'French', 'German', 'Spanish']);
  });

  it('keeps the replaced reply in the search, as an earlier version', async () => {
    const content = uniqueContent();
    const [before, after] = [uniqueContent('before'), uniqueContent('after')];
    await app.model.script({ key: content, times: 1, steps: [{ text: before }] });
    const [, first] = (await client.send(chatId, content)).body;
    await app.model.script({ key: content, steps: [{ text: after }] });
    await regenerate(first.id);
    const found = async (q: string) =>
      (await client.request<ChatDto[]>(`/chat?q=${q}`)).body.map(({ id, match }) => [id, match?.version]);
    expect([await found(before), await found(after), await found(content)]).toEqual([
      [[chatId, 1]],
      [[chatId, null]],
      [[chatId, null]],
    ]);
  });

  it('needs an existing message, and a free conversation', async () => {
    expectFailure(await regenerate(999_999), 404, 'MESSAGE_NOT_FOUND');
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'a' }, { hold: content }] });
    const stream = await client.stream(chatId, content);
    const messageId = Number(stream.header('x-user-message-id'));
    expectFailure(await regenerate(messageId), 409, 'GENERATION_IN_PROGRESS');
    await app.model.release(content);
    await stream.rest();
  });
});
