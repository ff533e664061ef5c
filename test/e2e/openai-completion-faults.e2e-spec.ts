import { ReplyTiming } from '../../src/modules/generation/reading/reply-streams';
import { createAdmin } from '../support/accounts';
import { startChatApp } from '../support/chat-app';
import { uniqueContent } from '../support/chat-client';
import { chunksOf, CompletionCaller, joined } from '../support/completion-stream';
import { eventually } from '../support/eventually';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useClient, useOwnChatApp } from '../support/use-app';
import { agentRequests, createAgent } from './agent-requests';

describe('failures of chat completions', () => {
  const app = useOwnChatApp();
  const client = useClient(app);
  let model: string;

  beforeAll(async () => {
    model = (await createAgent(agentRequests(app, (await createAdmin(app)).token), { status: 'active' })).name;
  });

  const caller = () => new CompletionCaller(app.origin, client.token);
  const ask = (content: string) => ({ model, messages: [{ role: 'user', content }] });

  it.each([
    ['a provider that refuses its key', { status: 401 }, 502, 'PROVIDER_ERROR', 'false'],
    ['a provider that is away', { status: 503 }, 503, 'PROVIDER_UNAVAILABLE', null],
  ])('before the first token have their status: %s', async (_what, script, status, code, retry) => {
    const key = uniqueContent();
    await app.model.script({ key, ...script });
    for (const stream of [false, true]) {
      const answer = await caller().complete({ ...ask(key), stream });
      expect(expectOpenAiFailure(answer, status, code).type).toBe('server_error');
      expect(answer.headers.get('x-should-retry')).toBe(retry);
    }
  });

  it('from a content filter are an error of the messages', async () => {
    const key = uniqueContent();
    const body = JSON.stringify({ error: { code: 'content_filter', message: 'Refused by the content policy.' } });
    await app.model.script({ key, status: 400, body });
    expectOpenAiFailure(await caller().complete(ask(key)), 400, 'content_filter', 'messages');
  });

  it('in mid-stream are an error and the end mark, without usage', async () => {
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ text: 'Half' }, { cut: true }] });
    const answer = await caller().stream({ ...ask(key), stream_options: { include_usage: true } });
    expect(answer.status).toBe(200);
    expect(answer.isDone).toBe(true);
    const [failure] = answer.chunks.slice(-1);
    expect(failure).toEqual({
      error: { message: expect.any(String), type: 'server_error', param: null, code: 'PROVIDER_ERROR' },
    });
    expect(joined(answer.chunks.slice(0, -1))).toEqual({ content: 'Half', reasoning: '', finish: null });
    const whole = await caller().complete(ask(key));
    expectOpenAiFailure(whole, 502, 'PROVIDER_ERROR');
  });

  it('for a prompt that is too long name the messages', async () => {
    const agent = await createAgent(agentRequests(app, (await createAdmin(app)).token), {
      status: 'active',
      context_max_tokens: 1_000,
    });
    const content = uniqueContent('word '.repeat(3_000));
    const answer = await caller().complete({ model: agent.name, messages: [{ role: 'user', content }] });
    expectOpenAiFailure(answer, 400, 'context_length_exceeded', 'messages');
  });

  it('when the client disconnects stop the unread reply, which costs nothing more', async () => {
    for (const stream of [true, false]) {
      const key = uniqueContent();
      await app.model.script({ key, steps: [{ text: 'Half' }, { stall: true }] });
      const leaving = new AbortController();
      const answer = fetch(caller().url, {
        method: 'POST',
        signal: leaving.signal,
        headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...ask(key), stream }),
      });
      const ended = answer.then(({ body }) => body?.pipeTo(new WritableStream())).catch(() => undefined);
      await app.model.waitFor('received', { key });
      if (stream) {
        await answer;
      }
      leaving.abort();
      await app.model.waitFor('aborted', { key });
      await ended;
    }
    // The provider's connection closes a moment before the service has released the client's slot.
    await eventually(async () => (await caller().complete(ask(uniqueContent()))).status === 200);
  });
});

describe('a chat completion that waits or is cut off', () => {
  it('has comments while the model is silent, and an error when the service shuts down', async () => {
    const app = await startChatApp({ SHUTDOWN_GRACE_SECONDS: '0' });
    try {
      Object.assign(app.app.get(ReplyTiming), { head: 10, ping: 20 });
      const client = await app.newClient();
      const key = uniqueContent();
      await app.model.script({ key, steps: [{ text: 'Half' }, { stall: true }] });
      const caller = new CompletionCaller(app.origin, client.token);
      const body = { model: '1', messages: [{ role: 'user', content: key }], stream: true };
      const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' };
      const answer = await fetch(caller.url, { method: 'POST', headers, body: JSON.stringify(body) });
      let text = '';
      let isClosing = false;
      for await (const piece of answer.body as AsyncIterable<Uint8Array>) {
        text += Buffer.from(piece).toString();
        if (!isClosing && text.includes(': ping')) {
          isClosing = true;
          void app.app.close();
        }
      }
      const { chunks, isDone } = chunksOf(text);
      expect(isDone).toBe(true);
      expect(chunks.at(-1)?.error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', type: 'server_error' });
    } finally {
      await app.close();
    }
  });
});
