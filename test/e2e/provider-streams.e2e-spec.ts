import { brotliCompressSync } from 'node:zlib';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { replyFailure, uniqueContent } from '../support/chat-client';
import type { ModelScript } from '../support/model-server/model-server';
import { useChatApp, useClient } from '../support/use-app';

const DONE = 'data: [DONE]\n\n';
const DEAD = 'data: {"object":"error","message":"dead","code":500}\n\n';

/** A provider with its own stream dialect, from a user's view. */
describe('a provider stream', () => {
  const app = useChatApp();
  const client = useClient(app);

  function saying(content: string): string {
    return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
  }

  function raw(text: string): ModelScript {
    return { bare: true, unfinished: true, steps: [{ raw: text }] };
  }

  async function sendTo(...scripts: ModelScript[]) {
    const content = uniqueContent();
    for (const script of scripts) {
      await app.model.script({ key: content, ...script });
    }
    const chat = await client.createChat();
    const answer = await client.send(chat.id, content);
    const { messages } = await client.read(chat.id);
    const { body: quota } = await client.request<Record<'messages' | 'tokens', { used: number }>>('/user/quota');
    const requests = await app.model.requests(content);
    return { answer, reply: messages[1] as MessageDto, quota, requests: requests.length };
  }

  const FAILURES: [string, ModelScript, number, string][] = [
    ['an error in the form of an object', raw(DEAD + DONE), 502, 'PROVIDER_ERROR'],
    ['an error event', raw('event: error\ndata: {"detail":"dead"}\n\n'), 502, 'PROVIDER_ERROR'],
    ['nothing but its end', raw(DONE), 502, 'PROVIDER_ERROR'],
    [
      'a refusal as JSON with status 200',
      { headers: { 'content-type': 'application/json' }, body: '{"error":{"code":429,"message":"Slow down."}}' },
      503,
      'PROVIDER_UNAVAILABLE',
    ],
  ];

  it.each(FAILURES)('that has %s is repeated', async (_what, script) => {
    const { answer, requests } = await sendTo({ ...script, times: 1 }, { steps: [{ text: 'Hello' }] });
    expect([answer.status, answer.body[1].content, requests]).toEqual([200, 'Hello', 2]);
  });

  it.each(FAILURES)('that always has %s fails, and costs nothing', async (_what, script, status, code) => {
    const { answer, reply, quota } = await sendTo(script);
    replyFailure(answer, status, code);
    expect(reply).toMatchObject({ status: 'failed', finish_reason: 'error', content: '', error: { code } });
    expect(quota).toMatchObject({ messages: { used: 0 }, tokens: { used: 0 } });
  });

  it('that has an error after two words fails like an interrupted stream', async () => {
    const broken = await sendTo(raw(saying('two words') + DEAD + DONE));
    const cut = await sendTo({ ...raw(''), steps: [{ raw: saying('two words') }, { cut: true }] });
    for (const { answer, reply, requests } of [broken, cut]) {
      replyFailure(answer, 502, 'PROVIDER_ERROR');
      expect(reply).toMatchObject({ status: 'failed', finish_reason: 'error', content: 'two words' });
      expect(requests).toBe(1);
    }
    expect(cut.quota.messages.used).toBe(2 * broken.quota.messages.used);
  });

  it.each<[string, ModelScript]>([
    ['noise', raw(`data: ping\n\n${saying('a ')}data: : keepalive\n\n${saying('word')}data: "[DONE]"\n\n`)],
    ['the label of a page', { ...raw(saying('a word') + DONE), headers: { 'content-type': 'text/html' } }],
    [
      'a whole reply',
      {
        headers: { 'content-type': 'application/json' },
        body: '{"object":"chat.completion","choices":[{"message":{"content":"a word"},"finish_reason":"stop"}]}',
      },
    ],
    [
      'compressed bytes',
      {
        ...raw(''),
        headers: { 'content-encoding': 'br' },
        steps: [{ base64: brotliCompressSync(saying('a word') + DONE).toString('base64') }],
      },
    ],
  ])('that has %s is read', async (_what, script) => {
    const { answer, reply } = await sendTo(script);
    expect(answer.status).toBe(200);
    expect(reply).toMatchObject({ status: 'completed', finish_reason: 'stop', content: 'a word' });
  });
});
