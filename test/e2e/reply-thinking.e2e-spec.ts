import { LlmConfig } from '../../src/integrations/llm/llm.config';
import { ReplyTiming } from '../../src/modules/generation/reading/reply-streams';
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from '../clients/ai-sdk';
import { uniqueContent } from '../support/chat-client';
import type { ReplyStream } from '../support/chat-stream';
import { eventually } from '../support/eventually';
import { useClient, useOwnChatApp } from '../support/use-app';

const SSE = { query: 'stream_format=sse' };
const PLAIN = { query: 'stream=true' };

/** Longer than any test: later output was not awaited. */
const NEVER = 600_000;

describe('a model with reasoning before its text', () => {
  const app = useOwnChatApp();
  const client = useClient(app);
  let chatId: number;
  let content: string;

  beforeAll(() => {
    // One timer pings all streams, and keeps its initial interval.
    app.app.get(ReplyTiming).ping = 20;
  });

  beforeEach(async () => {
    chatId = (await client.createChat()).id;
    content = uniqueContent();
    headAfter(NEVER);
  });

  function headAfter(milliseconds: number): void {
    app.app.get(ReplyTiming).head = milliseconds;
  }

  /** Reasoning, text, and reasoning again; waits at the gates `<content>-1` and `<content>-2` in between. */
  function think(): Promise<void> {
    const steps = [
      { reasoning: 'Let me ' },
      { reasoning: 'see 😀.' },
      { hold: `${content}-1` },
      { text: 'Well, ' },
      { reasoning: 'Again.' },
      { hold: `${content}-2` },
      { text: 'yes.' },
    ];
    return app.model.script({ key: content, steps });
  }

  async function goOn(): Promise<void> {
    await app.model.release(`${content}-1`);
    await app.model.release(`${content}-2`);
  }

  async function piecesOf(stream: ReplyStream): Promise<string[]> {
    const events = await stream.events();
    return events.filter(({ data }) => 'text' in data).map(({ event, data }) => `${event} ${String(data.text)}`);
  }

  describe('is visible', () => {
    it.each([SSE, PLAIN, { query: 'stream_format=ui_message' }])('at its first reasoning: %j', async (options) => {
      await think();
      const stream = await client.stream(chatId, content, options);
      expect([stream.status, stream.header('x-quota-messages-remaining')]).toEqual([200, '99999']);
      await goOn();
      await stream.rest();
    });

    it('after a while, when it is silent, and by pings from then on', async () => {
      headAfter(20);
      await app.model.script({ key: content, steps: [{ hold: content }, { text: 'Hi' }] });
      const stream = await client.stream(chatId, content, SSE);
      await stream.until(': ping\n\n: ping');
      expect(stream.received.startsWith('event: message_start\nid: 0\n')).toBe(true);
      expect(stream.received).not.toContain('event: delta');
      const joined = await client.join(chatId, 'stream_format=sse');
      await joined.until('event: message_start');
      await app.model.release(content);
      for (const each of [stream, joined]) {
        expect(await piecesOf(each)).toEqual(['delta Hi']);
      }
    });

    it.each([PLAIN, { query: 'stream_format=ui_message' }])('after a while in every format: %j', async (options) => {
      headAfter(20);
      await app.model.script({ key: content, steps: [{ hold: content }, { text: 'Hi' }] });
      const stream = await client.stream(chatId, content, options);
      if (options !== PLAIN) {
        await stream.until(': ping\n\n');
      }
      await app.model.release(content);
      expect(await stream.rest()).toContain('Hi');
    });

    it('by a repeated request and by a regeneration', async () => {
      headAfter(20);
      const headers = { 'idempotency-key': 'again' };
      await app.model.script({ key: content, steps: [{ hold: content }, { text: 'Hi' }] });
      const first = await client.stream(chatId, content, { ...PLAIN, headers });
      const repeated = await client.stream(chatId, content, { ...PLAIN, headers });
      expect(repeated.header('x-message-id')).toBe(first.header('x-message-id'));
      await app.model.release(content);
      expect(await repeated.plain()).toEqual(await first.plain());
    });

    it('never to a blocking client', async () => {
      headAfter(1);
      await think();
      const sending = client.send(chatId, content);
      await goOn();
      const { status, body } = await sending;
      expect([status, body[1].content, body[1].reasoning]).toEqual([200, 'Well, yes.', 'Let me see 😀.Again.']);
    });

    it('and then fails: the trailer contains the error, with its code', async () => {
      headAfter(20);
      await app.model.script({ key: content, steps: [{ hold: content }, { error: { message: 'x' } }] });
      const stream = await client.stream(chatId, content, PLAIN);
      await app.model.release(content);
      const { text, trailer } = await stream.plain();
      expect([stream.status, text]).toEqual([200, '']);
      expect(trailer).toMatchObject({ status: 'failed', finish_reason: 'error', error: { code: 'PROVIDER_ERROR' } });
      const [, reply] = (await client.read(chatId)).messages;
      expect(reply).toMatchObject({ status: 'failed', content: '', reasoning: null });
    });

    it('and fails before: an ordinary error', async () => {
      Object.assign(app.app.get(LlmConfig), { LLM_FIRST_TOKEN_TIMEOUT: 0.1 });
      await app.model.script({ key: content, hang: true });
      const stream = await client.stream(chatId, content, SSE);
      Object.assign(app.app.get(LlmConfig), { LLM_FIRST_TOKEN_TIMEOUT: 30 });
      expect([stream.status, (await stream.failure()).code]).toEqual([504, 'PROVIDER_TIMEOUT']);
    });
  });

  describe('sends its reasoning', () => {
    it('as separate events, never in the text', async () => {
      await think();
      const stream = await client.stream(chatId, content, SSE);
      await stream.until('see');
      await app.model.release(`${content}-1`);
      await stream.until('Again.');
      await app.model.release(`${content}-2`);
      const events = await stream.events();
      const told = events.filter(({ event }) => event !== 'message_start' && event !== 'message_end');
      expect(told.map(({ event, id, data }) => [event, id, data.text])).toEqual([
        ['reasoning', 0, 'Let me see 😀.'],
        ['delta', 6, 'Well, '],
        ['reasoning', 6, 'Again.'],
        ['delta', 10, 'yes.'],
      ]);
      const [question, reply] = (await client.read(chatId)).messages;
      expect(reply).toMatchObject({ content: 'Well, yes.', reasoning: 'Let me see 😀.Again.' });
      expect(reply?.first_token_ms).toEqual(expect.any(Number));
      expect(question).not.toHaveProperty('reasoning');
    });

    it('to no reader of plain text', async () => {
      await think();
      const stream = await client.stream(chatId, content, PLAIN);
      await goOn();
      expect((await stream.plain()).text).toBe('Well, yes.');
    });

    it('to useChat as separate parts, in their original order', async () => {
      await think();
      await client.stream(chatId, content, PLAIN);
      const transport = new DefaultChatTransport({
        prepareReconnectToStreamRequest: () => ({
          api: `${app.url}/chat/${chatId}/stream?stream_format=ui_message`,
          headers: { authorization: `Bearer ${client.token}` },
        }),
      });
      const stream = await transport.reconnectToStream({ chatId: String(chatId) });
      await goOn();
      const states: UIMessage[] = [];
      for await (const state of readUIMessageStream({ stream: stream!, terminateOnError: true })) {
        states.push(state);
      }
      expect(states.at(-1)?.parts).toMatchObject([
        { type: 'step-start' },
        { type: 'reasoning', text: 'Let me see 😀.', state: 'done' },
        { type: 'text', text: 'Well, ', state: 'done' },
        { type: 'reasoning', text: 'Again.', state: 'done' },
        { type: 'text', text: 'yes.', state: 'done' },
      ]);
    });

    it('from the start to a reader without text, and not again to a reader with some text', async () => {
      await think();
      const stream = await client.stream(chatId, content, SSE);
      await app.model.release(`${content}-1`);
      await stream.until('Again.');
      const joined = await Promise.all(
        [undefined, '0', '6'].map((id) => client.join(chatId, 'stream_format=sse', id ? { 'last-event-id': id } : {})),
      );
      await app.model.release(`${content}-2`);
      const all = ['reasoning Let me see 😀.Again.', 'delta Well, ', 'delta yes.'];
      expect(await Promise.all(joined.map(piecesOf))).toEqual([all, all, ['delta yes.']]);
      const whole = await client.join(chatId, 'offset=0&stream_format=sse');
      expect(await piecesOf(whole)).toEqual(['reasoning Let me see 😀.Again.', 'delta Well, yes.']);
    });

    it('to the database while it grows, so that a crash does not lose it', async () => {
      await think();
      const stream = await client.stream(chatId, content, SSE);
      await eventually(async () => {
        const [, reply] = (await client.read(chatId)).messages;
        return reply?.status === 'streaming' && reply.reasoning === 'Let me see 😀.' ? reply : undefined;
      });
      await client.stop(chatId);
      await stream.rest();
      const [, reply] = (await client.read(chatId)).messages;
      expect(reply).toMatchObject({ status: 'stopped', content: '', reasoning: 'Let me see 😀.' });
      expect(reply?.token_usage).toMatchObject({ is_estimated: true, model: 'scripted' });
      expect(reply?.token_usage?.prompt_tokens).toBeGreaterThan(0);
      expect(reply?.token_usage?.reasoning_tokens).toBeGreaterThan(3);
      expect(reply?.token_usage?.completion_tokens).toBe(reply?.token_usage?.reasoning_tokens);
    });

    it('to no model, because it is not part of the conversation', async () => {
      await think();
      await goOn();
      await client.send(chatId, content);
      const next = uniqueContent();
      await client.send(chatId, next);
      const [request] = await app.model.requests(next);
      expect(request?.body.messages.slice(-3).map((turn) => turn.content)).toEqual([content, 'Well, yes.', next]);
    });
  });
});
