// @part rest: needs a database server
import { type ChatApp, startChatApp } from '../support/chat-app';
import { type ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { startMariadbServer } from '../support/servers/mariadb-server';
import { describeWithProgram } from '../support/servers/required-program';
import { type SqlServer } from '../support/servers/sql-server';

describeWithProgram('mariadbd', 'a reply that is larger than what the database takes in one statement', () => {
  let server: SqlServer;
  let app: ChatApp;
  let client: ChatClient;

  beforeAll(async () => {
    server = await startMariadbServer({ maxAllowedPacket: 1_048_576 });
    app = await startChatApp({ DATABASE_URL: server.url });
    client = await app.newClient();
  });

  afterAll(async () => {
    await app.close();
    await server.stop();
  });

  it('ends as failed with the text that could be stored, and the conversation continues', async () => {
    const content = uniqueContent();
    const text = 'word '.repeat(1_000);
    await app.model.script({ key: content, steps: [{ repeat: { text, count: 400 } }] });
    const chat = await client.createChat();
    const { text: received, trailer } = await (await client.stream(chat.id, content)).plain();
    expect(received).toHaveLength(2_000_000);
    expect(trailer).toMatchObject({
      status: 'failed',
      finish_reason: 'error',
      error: { code: 'INTERNAL_ERROR' },
      total_tokens: 16,
    });
    const stored = await client.read(chat.id);
    expect(stored.active_message_id).toBeNull();
    expect(stored.messages[1]).toMatchObject({ status: 'failed', token_usage: { total_tokens: 16 } });
    const kept = stored.messages[1]?.content ?? '';
    expect(kept.length).toBeGreaterThanOrEqual(250_000);
    expect(received.startsWith(kept)).toBe(true);
    expect((await client.send(chat.id, uniqueContent())).status).toBe(200);
  });

  it('blocks no other running reply from being written', async () => {
    const [large, small] = [uniqueContent('large'), uniqueContent('small')];
    await app.model.script({
      key: large,
      steps: [
        { text: 'x'.repeat(500_000) },
        { repeat: { text: 'word '.repeat(100), count: 3_000 } },
        { text: 'END' },
        { hold: large },
      ],
    });
    await app.model.script({ key: small, steps: [{ hold: `${small}-start` }, { text: 'small' }, { hold: small }] });
    const [first, second] = [await client.createChat(), await client.createChat()];
    const streams = [await client.stream(first.id, large)];
    await streams[0]?.until('END');
    const sending = client.stream(second.id, small);
    await app.model.release(`${small}-start`);
    streams.push(await sending);
    await eventually(async () => (await client.read(second.id)).messages[1]?.content === 'small');
    await Promise.all([large, small].map((gate) => app.model.release(gate)));
    const [largeEnd, smallEnd] = await Promise.all(streams.map((stream) => stream.plain()));
    expect(largeEnd?.trailer.status).toBe('failed');
    expect(smallEnd).toMatchObject({ text: 'small', trailer: { status: 'completed' } });
  });
});
