import type { RequestListener } from 'node:http';
import { createChatClient, type ReplyEvent } from '../src';
import { useChatTransport } from '../src/use-chat';
import { ScriptedServer } from './scripted-server';

const START = { message_id: 2, user_message_id: 1, chat_id: 1, offset: 0 };
const CITATION = { number: 1, index: 4, file_id: 7, store_id: 3, filename: 'a.pdf', page: 2, start: 0, end: 9 };

/** Sends events, and then closes the connection. */
const stream =
  (...events: [name: string, data: object][]): RequestListener =>
  (request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-message-id': '2', 'x-user-message-id': '1' });
    const text = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join('');
    response.write(text, () => request.socket.destroy());
  };

it('a citation is delivered once, even if it is repeated after a lost connection', async () => {
  const server = await ScriptedServer.start();
  server.script(
    stream(['message_start', START], ['delta', { text: 'One.' }], ['citation', CITATION]),
    stream(
      ['message_start', { ...START, offset: 3 }],
      ['delta', { text: '.' }],
      ['citation', CITATION],
      ['citation', { ...CITATION, index: 9 }],
      ['delta', { text: ' Two.' }],
      ['message_end', { ...START, status: 'completed', citations: [CITATION] }],
    ),
  );
  const events: ReplyEvent[] = [];
  const client = createChatClient({ baseUrl: server.baseUrl, accessToken: 'ck_1' });
  for await (const event of client.send({ chat_id: 1, content: 'Hello' })) events.push(event);
  const citations = events.filter(({ type }) => type === 'citation');
  expect(citations).toEqual(
    [CITATION, { ...CITATION, index: 9 }].map((citation) => ({ type: 'citation', ...citation })),
  );
  expect(events.at(-1)).toMatchObject({ type: 'message_end', citations: [CITATION] });
  server.close();
});

it('a cited passage is one source of useChat, unless it was removed', async () => {
  const server = await ScriptedServer.start();
  const removed = { number: 2, index: 6, filename: 'b.pdf' };
  server.script(
    stream(
      ['message_start', START],
      ['delta', { text: 'One. Two.' }],
      ...[CITATION, { ...CITATION, index: 9 }, removed].map((one): [string, object] => ['citation', one]),
      ['message_end', { ...START, status: 'completed', citations: [CITATION] }],
    ),
  );
  const client = createChatClient({ baseUrl: server.baseUrl, accessToken: 'ck_1' });
  const messages = [{ id: 'made-up', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }];
  const sent = { chatId: '1', trigger: 'submit-message', messageId: undefined, messages };
  const sources: object[] = [];
  for await (const chunk of await useChatTransport(client).sendMessages(sent)) {
    if (chunk.type === 'source-document') sources.push(chunk);
  }
  const names = { mediaType: 'application/octet-stream', title: 'a.pdf', filename: 'a.pdf' };
  expect(sources).toEqual([
    { type: 'source-document', sourceId: 'file-7:0-9', ...names, providerMetadata: { knowledge: CITATION } },
  ]);
  server.close();
});
