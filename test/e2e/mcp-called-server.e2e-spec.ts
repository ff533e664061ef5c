import { uniqueContent } from '../support/chat-client';
import { useMcpCalls } from '../support/mcp/mcp-calls';

describe('calls of MCP tools', () => {
  const { app, client, trusted, chatWith } = useMcpCalls();

  it('are reported with the server, in the stream, to joining readers, and in storage', async () => {
    const { label } = await trusted();
    const look = `${label}__look`;
    const chatId = await chatWith({ name: look }, { name: 'current_time' });
    const key = uniqueContent();
    const calls = [look, 'current_time', 'nothing'].map((name) => ({ toolCall: { name, arguments: '{}' } }));
    await app.model.script({ key, times: 1, steps: calls });
    await app.model.script({ key, steps: [{ text: 'Two' }, { hold: key }, { text: '.' }] });
    const stream = await client.stream(chatId, key, { query: 'stream_format=sse' });
    await stream.until('Two');
    const joined = await client.join(chatId, 'offset=0&stream_format=sse');
    await app.model.release(key);
    const expected = [
      { tool: look, server: label },
      { tool: 'current_time', server: null },
      { tool: 'nothing', server: null },
    ];
    for (const reader of [stream, joined]) {
      const told = (await reader.events()).filter(({ event }) => event === 'tool_call');
      expect(told.map(({ data }) => data)).toMatchObject(expected);
    }
    const ended = await (await client.join(chatId, 'offset=0&stream_format=sse')).events();
    expect(ended.filter(({ event }) => event === 'tool_call').map(({ data }) => data)).toMatchObject(expected);
    const parts = (await client.waitForEnd(chatId)).parts?.filter(({ type }) => type === 'tool_call');
    expect(parts?.map((part) => ('server' in part ? part.server : null))).toEqual([label, null, null]);
  });

  it('are reported with it by whichever instance continues a reply', async () => {
    const { label } = await trusted();
    const book = `${label}__book`;
    const chatId = await chatWith({ name: book });
    const key = uniqueContent();
    await app.model.script({ key, times: 1, steps: [{ toolCall: { name: book, arguments: '{"what":"a"}' } }] });
    await client.send(chatId, key);
    // Read again from storage.
    const events = await (await client.join(chatId, 'offset=0&stream_format=sse')).events();
    expect(events.find(({ event }) => event === 'tool_call')?.data).toMatchObject({ tool: book, server: label });
  });
});
