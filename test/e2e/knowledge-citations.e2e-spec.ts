import type { ChatDto } from '../../src/modules/chat/chats/chat.dto';
import type { NewShareDto, SharedChatDto } from '../../src/modules/share/share.dto';
import { uniqueContent } from '../support/chat-client';
import { useKnowing } from '../support/knowing';

/** A part of a UI message. */
interface UiPart {
  type: string;
  sourceId?: string;
}

describe('citations in the formats of replies', () => {
  const { app, createReader, searching } = useKnowing();

  const texts: [string, string] = ['Settings[[cite:1]]', ', and again[[cite:1]].'];
  const content = 'Let me see. Settings, and again.';
  const [first, second] = [content.indexOf(','), content.indexOf('.', 20)];

  it('are events of the event stream, and repeated to a reader who joins', async () => {
    const { client, chatId } = await createReader();
    const key = uniqueContent();
    const toolCall = { id: 'search', name: 'search_knowledge', arguments: '{"queries": ["password"]}' };
    await app.model.script({ key, times: 1, steps: [{ text: 'Let me see. ' }, { toolCall }] });
    await app.model.script({ key, steps: [{ text: texts[0] }, { hold: key }, { text: texts[1] }] });
    const stream = await client.stream(chatId, key, { query: 'stream_format=sse' });
    await stream.until('citation');
    const joined = await client.join(chatId, `offset=${first}&stream_format=sse`);
    await app.model.release(key);
    const events = await stream.events();
    const cited = events.filter(({ event }) => event === 'citation');
    expect(cited.map(({ id, data }) => [id, (data as { number: number }).number])).toEqual([
      [first, 1],
      [second, 1],
    ]);
    expect(events.at(-1)?.data).toMatchObject({ citations: cited.map(({ data }) => data) });
    const late = (await joined.events()).filter(({ event }) => event === 'citation');
    expect(late.map(({ id }) => id)).toEqual([first, second]);
    const after = await client.join(chatId, `offset=${first + 1}&stream_format=sse`);
    const rest = (await after.events()).filter(({ event }) => event === 'citation');
    expect(rest.map(({ id }) => id)).toEqual([second]);
  });

  it('are in the trailer of plain text', async () => {
    const { client, chatId } = await createReader();
    const stream = await client.stream(chatId, await searching(texts));
    const { text, trailer } = await stream.plain();
    expect(text).toBe(content);
    expect(trailer).toMatchObject({ citations: [{ index: first }, { index: second }] });
  });

  it('are sources of UI messages, once per passage', async () => {
    const { client, chatId, file } = await createReader();
    const stream = await client.stream(chatId, await searching(texts), { query: 'stream_format=ui_message' });
    const chunks = (await stream.rest()).split('\n\n').flatMap((line) => {
      const data = line.replace('data: ', '');
      return data.startsWith('{') ? [JSON.parse(data) as UiPart & { messageMetadata?: object }] : [];
    });
    const source = {
      type: 'source-document',
      sourceId: expect.stringMatching(`^file-${file.fileId}:0-`),
      mediaType: 'text/plain',
      title: 'Accounts › Passwords',
      filename: 'handbook.pdf',
      providerMetadata: { knowledge: expect.objectContaining({ number: 1, index: first }) },
    };
    expect(chunks.filter(({ type }) => type === 'source-document')).toEqual([source]);
    expect(chunks.find(({ type }) => type === 'finish')?.messageMetadata).toMatchObject({
      citations: [{ index: first }, { index: second }],
    });
    const history = await client.request<{ parts: UiPart[]; metadata: object }[]>(
      `/chat/${chatId}/messages?format=ui_message`,
    );
    const reply = history.body.at(-1);
    expect(reply?.parts.map(({ type }) => type)).toEqual(['text', 'dynamic-tool', 'text', 'source-document']);
    expect(reply?.parts.at(-1)).toEqual(source);
    expect(reply?.metadata).toMatchObject({ citations: [{ index: first }, { index: second }] });
  });

  it('show strangers only number, place and file in a shared conversation', async () => {
    const { client, chatId } = await createReader();
    await client.send(chatId, await searching(texts));
    const { token } = (await client.request<NewShareDto>(`/chat/${chatId}/shares`, { body: {} })).body;
    const stranger = await app.newClient();
    const shown = await stranger.request<SharedChatDto>(`/shared/${token}`);
    const citations = [first, second].map((index) => ({ number: 1, index, filename: 'handbook.pdf' }));
    expect(shown.body.messages.at(-1)?.citations).toEqual(citations);
    const copy = await stranger.request<ChatDto>(`/shared/${token}/continue`, { method: 'POST' });
    const [, reply] = (await stranger.read(copy.body.id)).messages;
    expect(reply).toMatchObject({ content, citations });
    expect(JSON.stringify([shown.body, reply])).not.toContain('open the settings');
  });
});
