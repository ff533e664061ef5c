import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import type { ReplyFactsDto } from '../../src/modules/chat/reading/formats/reply-trailer.dto';
import type { QuotaDto } from '../../src/modules/usage/quota/quota.dto';
import { uniqueContent } from '../support/chat-client';
import { ReplyStream } from '../support/chat-stream';
import { useChatApp, useClient } from '../support/use-app';

const EVENT_STREAM = { accept: 'text/event-stream' };

describe('formats of a streamed reply', () => {
  const app = useChatApp();
  const client = useClient(app);

  describe('server-sent events', () => {
    it('start with the ids, then deltas, then the trailer; ids are offsets', async () => {
      const chat = await client.createChat();
      const stream = await client.stream(chat.id, uniqueContent(), { query: '', headers: EVENT_STREAM });
      expect(stream.header('content-type')).toBe('text/event-stream; charset=utf-8');
      const events = await stream.events();
      const texts = ['Hello', ' from', ' the', ' model', '.'];
      expect(events[0]).toEqual({
        event: 'message_start',
        id: 0,
        data: {
          chat_id: chat.id,
          user_message_id: Number(stream.header('x-user-message-id')),
          message_id: Number(stream.header('x-message-id')),
          offset: 0,
        },
      });
      const deltas = events.filter(({ event }) => event === 'delta');
      expect(deltas.map(({ data }) => data.text).join('')).toBe(texts.join(''));
      let offset = 0;
      for (const { id, data } of deltas) {
        offset += String(data.text).length;
        expect(id).toBe(offset);
      }
      expect(events.at(-1)).toMatchObject({
        event: 'message_end',
        id: 21,
        data: { status: 'completed', total_tokens: 16 },
      });
    });

    it('contain the text unchanged, including markers and line ends', async () => {
      const content = uniqueContent();
      const text = '__TOKEN_USAGE__\n\ndata: x\r\n😀';
      await app.model.script({ key: content, steps: [{ text }] });
      const stream = await client.stream((await client.createChat()).id, content, { query: 'stream_format=sse' });
      const deltas = (await stream.events()).filter(({ event }) => event === 'delta');
      expect(deltas.map(({ data }) => data.text).join('')).toBe(text);
    });

    it('resume with Last-Event-ID where the connection was lost', async () => {
      const content = uniqueContent();
      await app.model.script({
        key: content,
        steps: [{ text: 'Hello ' }, { text: 'wor' }, { hold: content }, { text: 'ld' }],
      });
      const chat = await client.createChat();
      const first = await client.stream(chat.id, content, { query: 'stream=true', headers: EVENT_STREAM });
      await first.until('id: 9\n');
      first.leave();
      const second = await client.join(chat.id, 'offset=2', { ...EVENT_STREAM, 'last-event-id': '6' });
      await second.until('wor');
      await app.model.release(content);
      const events = await second.events();
      expect(events[0]).toMatchObject({ event: 'message_start', id: 6, data: { offset: 6 } });
      expect(
        events
          .filter(({ event }) => event === 'delta')
          .map(({ data }) => data.text)
          .join(''),
      ).toBe('world');
      expect(events.at(-1)).toMatchObject({ event: 'message_end', id: 11 });
    });

    it('send the end to a reader who lost nothing else, and then no more', async () => {
      const chat = await client.createChat();
      const content = uniqueContent();
      await app.model.script({ key: content, steps: [{ text: 'Hello' }] });
      await (await client.stream(chat.id, content, { query: 'stream=true', headers: EVENT_STREAM })).events();
      const rest = await client.join(chat.id, '', { ...EVENT_STREAM, 'last-event-id': '5' });
      const events = await rest.events();
      expect(events.map(({ event }) => event)).toEqual(['message_start', 'message_end']);
      expect(events.at(-1)?.data).toMatchObject({ status: 'completed' });
      expect((await client.join(chat.id, '', { ...EVENT_STREAM, 'last-event-id': '5-end' })).status).toBe(204);
      expect((await client.join(chat.id, 'offset=5')).status).toBe(204);
    });

    /** Additional data in the last event. */
    async function factsOf(opening: Promise<ReplyStream>): Promise<unknown> {
      return (await (await opening).events()).at(-1)?.data.facts;
    }

    const sendTo = (chatId: number, content: string) => client.stream(chatId, content, { headers: EVENT_STREAM });
    const askAgain = (chatId: number, { id }: MessageDto) =>
      ReplyStream.open(`${client.url}/chat/${chatId}/messages/${id}/regenerate`, {
        token: client.token,
        body: {},
        headers: EVENT_STREAM,
      });

    /** The same data of the conversation and its user, from the API. */
    async function leftIn(chatId: number): Promise<Pick<ReplyFactsDto, 'message_count' | 'quota'>> {
      const { message_count } = await client.read(chatId);
      const { body } = await client.request<QuotaDto>('/user/quota');
      return { message_count, quota: { messages: body.messages.remaining, tokens: body.tokens.remaining } };
    }

    /** The same data of the reply too. */
    async function askedFor(chatId: number): Promise<object> {
      const { messages, updated_at, last_message_at } = await client.read(chatId);
      const { created_at, completed_at, first_token_ms, duration_ms } = messages.at(-1) as MessageDto;
      expect([updated_at, last_message_at]).toEqual([completed_at, completed_at]);
      return { created_at, completed_at, first_token_ms, duration_ms, ...(await leftIn(chatId)) };
    }

    it('end with all data that a page needs after a reply', async () => {
      const { id } = await client.createChat();
      expect(await factsOf(sendTo(id, uniqueContent()))).toEqual(await askedFor(id));
      expect(await factsOf(sendTo(id, uniqueContent()))).toEqual(await askedFor(id));
      const { messages } = await client.read(id);
      expect(await factsOf(askAgain(id, messages[1] as MessageDto))).toEqual(await askedFor(id));
      expect(await askedFor(id)).toMatchObject({ message_count: 2 });
    });

    it('do not count a failure without text, and contain the length of the branch that it did not replace', async () => {
      const { id } = await client.createChat();
      const [content, failing] = [uniqueContent(), uniqueContent()];
      await app.model.script({ key: failing, steps: [{ reasoning: 'Hm.' }, { cut: true }] });
      await client.send(id, content);
      expect(await factsOf(sendTo(id, failing))).toEqual(await askedFor(id));
      await app.model.script({ key: content, times: 1, steps: [{ reasoning: 'Hm.' }, { cut: true }] });
      const { messages } = await client.read(id);
      const facts = await factsOf(askAgain(id, messages[1] as MessageDto));
      expect(facts).toMatchObject(await leftIn(id));
      expect(facts).toMatchObject({ message_count: 4 });
    });

    it('send a failure after the first token, and then the end', async () => {
      const content = uniqueContent();
      await app.model.script({ key: content, steps: [{ text: 'Half' }, { cut: true }] });
      const stream = await client.stream((await client.createChat()).id, content, { headers: EVENT_STREAM });
      const events = await stream.events();
      expect(events.slice(-3)).toMatchObject([
        { event: 'reply_error', data: { code: 'PROVIDER_ERROR', retryable: true } },
        { event: 'error', data: { code: 'PROVIDER_ERROR', retryable: true } },
        { event: 'message_end', data: { status: 'failed', finish_reason: 'error' } },
      ]);
    });
  });

  it.each([
    ['stream=false wins over Accept', 'stream=false', EVENT_STREAM, 'application/json; charset=utf-8'],
    ['Accept: */* gets JSON', '', { accept: '*/*' }, 'application/json; charset=utf-8'],
    ['stream=1 is a stream', 'stream=1', { accept: '*/*' }, 'text/plain; charset=utf-8'],
    ['a named format wins over Accept', 'stream_format=text', EVENT_STREAM, 'text/plain; charset=utf-8'],
    [
      'SSE among others by its quality',
      'stream=true',
      { accept: 'text/plain;q=0.5, text/event-stream' },
      'text/event-stream; charset=utf-8',
    ],
    [
      'a stream that may be SSE or JSON is SSE',
      'stream=true',
      { accept: 'application/json, text/event-stream' },
      'text/event-stream; charset=utf-8',
    ],
    [
      'JSON before SSE is JSON',
      '',
      { accept: 'application/json, text/event-stream' },
      'application/json; charset=utf-8',
    ],
    [
      'SSE in any case, with its charset',
      '',
      { accept: 'Text/Event-Stream; charset=utf-8' },
      'text/event-stream; charset=utf-8',
    ],
  ])('%s', async (_case, query, headers, type) => {
    const chat = await client.createChat();
    const stream = await client.stream(chat.id, uniqueContent(), { query, headers });
    expect(stream.header('content-type')).toBe(type);
    await stream.rest();
  });

  it.each(['stream=maybe', 'stream_format=xml'])('refuses %s', async (query) => {
    const stream: ReplyStream = await client.stream((await client.createChat()).id, uniqueContent(), { query });
    expect(stream.status).toBe(400);
    expect(await stream.failure()).toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
