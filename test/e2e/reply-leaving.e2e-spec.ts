import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { ReplyFinisher } from '../../src/modules/generation/ending/reply-finisher';
import { ReplyRegistry } from '../../src/modules/generation/reply/reply-registry';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import type { ModelScript } from '../support/model-server/model-server';
import { useChatApp, useClient } from '../support/use-app';

describe('a client that disconnects', () => {
  const app = useChatApp();
  const client = useClient(app);
  let chatId: number;
  beforeEach(async () => {
    chatId = (await client.createChat()).id;
  });

  const steps = ['first ', 'middle ', 'last'];

  function gated(key: string): ModelScript {
    return { key, steps: steps.flatMap((text, index) => [{ text }, { hold: `${key}-${index}` }]) };
  }

  async function release(key: string): Promise<void> {
    await Promise.all(steps.map((_text, index) => app.model.release(`${key}-${index}`)));
  }

  it.each(steps.map((text, index) => [text, index] as const))(
    'after the %j chunk loses nothing: the reply is written and counted',
    async (text, index) => {
      const content = uniqueContent();
      await app.model.script(gated(content));
      const stream = await client.stream(chatId, content);
      for (let passed = 0; passed < index; passed++) {
        await app.model.release(`${content}-${passed}`);
      }
      await stream.until(text);
      stream.leave();
      await release(content);
      const reply = await client.waitForEnd(chatId);
      expect(reply).toMatchObject({
        content: 'first middle last',
        status: 'completed',
        token_usage: { total_tokens: 16 },
      });
      expect((await client.request('/user/total-stats')).body).toMatchObject({ total_messages: 2, total_tokens: 16 });
    },
  );

  it.each(steps.map((text, index) => [text, index] as const))(
    'after the %j chunk stops the reply immediately with on_disconnect: cancel',
    async (text, index) => {
      const content = uniqueContent();
      await app.model.script(gated(content));
      const stream = await client.stream(chatId, content, { body: { on_disconnect: 'cancel' } });
      for (let passed = 0; passed < index; passed++) {
        await app.model.release(`${content}-${passed}`);
      }
      await stream.until(text);
      stream.leave();
      await app.model.waitFor('aborted', { key: content });
      const reply = await client.waitForEnd(chatId);
      expect(reply).toMatchObject({
        content: steps.slice(0, index + 1).join(''),
        status: 'stopped',
        finish_reason: 'cancelled',
      });
    },
  );

  it('before the first chunk stops the reply on request, streamed or not', async () => {
    for (const query of ['', '?stream=true']) {
      const content = uniqueContent();
      await app.model.script({ key: content, hang: true });
      const controller = new AbortController();
      const sending = fetch(`${app.url}/chat/message${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ chat_id: chatId, content, on_disconnect: 'cancel' }),
        signal: controller.signal,
      });
      await app.model.waitFor('received', { key: content });
      controller.abort();
      await expect(sending).rejects.toThrow();
      await app.model.waitFor('aborted', { key: content });
      expect(await client.waitForEnd(chatId)).toMatchObject({ content: '', status: 'stopped' });
    }
  });

  it('and stops its reply may send again immediately', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'first ' }, { stall: true }] });
    const finishing = heldFinisher();
    const stream = await client.stream(chatId, content, { body: { on_disconnect: 'cancel' } });
    await stream.until('first ');
    const reply = app.app.get(ReplyRegistry).get(Number(stream.header('x-message-id')));
    stream.leave();
    await app.model.waitFor('aborted', { key: content });
    const next = client.send(chatId, uniqueContent());
    await Promise.race([next, eventually(() => reply?.hasListeners, 20)]);
    finishing.goOn();
    expect((await next).status).toBe(200);
    expect((await client.read(chatId)).messages.map(({ status }) => status)).toEqual([
      'completed',
      'stopped',
      'completed',
      'completed',
    ]);
  });

  /** Delays the storing of finished replies. */
  function heldFinisher(): { goOn: () => void } {
    const finisher = app.app.get(ReplyFinisher);
    const finish = finisher.finish.bind(finisher);
    let goOn = (): void => undefined;
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    jest.spyOn(finisher, 'finish').mockImplementation(async (...reply) => {
      await gate;
      return finish(...reply);
    });
    return { goOn };
  }

  it('does not stop the reply for another client that has joined it', async () => {
    const content = uniqueContent();
    await app.model.script(gated(content));
    const stream = await client.stream(chatId, content, { body: { on_disconnect: 'cancel' } });
    await stream.until('first ');
    const joined = await client.join(chatId, 'offset=0');
    await joined.until('first ');
    stream.leave();
    await release(content);
    expect((await joined.plain()).text).toBe('first middle last');
  });

  it('or that does not read slows no other client, and gets everything when it reads later', async () => {
    const content = uniqueContent();
    const text = '日本語の文字、'.repeat(500);
    await app.model.script({ key: content, steps: [{ repeat: { text, count: 1_000 } }] });
    const response = await openWithoutReading(content);
    const reply = await client.waitForEnd(chatId);
    expect(reply).toMatchObject({ status: 'completed' });
    expect(reply.content).toHaveLength(text.length * 1_000);
    let received = '';
    for await (const chunk of response.setEncoding('utf8')) {
      received += chunk as string;
    }
    expect(received.split('\n__TOKEN_USAGE__')[0] === reply.content).toBe(true);
  });

  async function openWithoutReading(content: string): Promise<IncomingMessage> {
    const request = httpRequest(`${app.url}/chat/message?stream=true`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' },
    });
    request.end(JSON.stringify({ chat_id: chatId, content }));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response.pause();
  }
});
