import { createChatClient } from '../../client/src/index';
import { useChatTransport } from '../../client/src/use-chat';
import { uniqueContent } from '../support/chat-client';
import type { ReplyStream } from '../support/chat-stream';
import { DocumentSchemas, eventsIn, type StreamEvent } from '../support/document-schemas';
import { useKnowing } from '../support/knowing';
import type { ModelScript } from '../support/model-server/model-server';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { useClient } from '../support/use-app';

/** The scripted output of the model, and the required content of its streams. */
const SCRIPTS: Record<string, Omit<ModelScript, 'key'>> = {
  'thinks and answers': { steps: [{ reasoning: 'Hm' }, { reasoning: 'm.' }, { text: 'Hello' }, { text: ' there.' }] },
  'is cut off by the length': { steps: [{ text: 'Long' }], finish: 'length' },
  'refuses in the middle': { steps: [{ text: 'Well' }], finish: 'content_filter' },
  'fails in the middle': { steps: [{ text: 'Half' }, { cut: true }] },
};

/** For calls that fail or wait: the tests of agents that act cover them. */
const OF_ACTING = new Set([
  'tool_progress',
  'data-tool-progress',
  'action_required',
  'tool-approval-request',
  'tool-output-denied',
  'tool-output-error',
  'data-action',
]);

describe('streamed replies, by the schemas of the OpenAPI document', () => {
  const { app, createReader, searching } = useKnowing({ CONCURRENT_NORMAL: '10' });
  const client = useClient(app);
  let schemas: DocumentSchemas;

  beforeAll(async () => {
    schemas = await DocumentSchemas.load();
  });

  /** Streams in one format of replies that end in every way, and of citing, edited, regenerated and joined ones. */
  async function everyStream(format: string): Promise<string[]> {
    const query = `stream_format=${format}`;
    const ended = Object.values(SCRIPTS).map(async (script) => rest(await sent(script, query)));
    return [...(await Promise.all(ended)), ...(await stopped(query)), ...(await changed(query)), await citing(query)];
  }

  async function sent(script: Omit<ModelScript, 'key'>, query: string): Promise<ReplyStream> {
    const content = uniqueContent();
    await app.model.script({ key: content, ...script });
    return client.stream((await client.createChat()).id, content, { query });
  }

  async function rest(stream: ReplyStream): Promise<string> {
    const received = await stream.rest();
    expect({ status: stream.status, received }).toEqual({
      status: 200,
      received: expect.stringContaining('"status":'),
    });
    return received;
  }

  /** A reply that its user stops, and the same reply for a reader who joined. */
  async function stopped(query: string): Promise<string[]> {
    const stream = await sent({ steps: [{ reasoning: 'Hm.' }, { text: 'Half a' }, { stall: true }] }, query);
    await stream.until('Half a');
    const chatId = Number(stream.header('x-chat-id'));
    const joined = await client.join(chatId, `${query}&offset=2`);
    await joined.until('lf a');
    await client.stop(chatId);
    return Promise.all([rest(stream), rest(joined)]);
  }

  /** A reply to an edited message, and another reply to that. */
  async function changed(query: string): Promise<string[]> {
    const { id } = await client.createChat();
    const [{ id: first }] = (await client.send(id, uniqueContent())).body;
    const path = `/chat/${id}/messages`;
    const edited = await client.request(`${path}/${first}?${query}`, {
      method: 'PUT',
      body: { content: uniqueContent() },
    });
    const [{ id: second } = { id: 0 }] = (await client.read(id)).messages;
    const again = await client.request(`${path}/${second}/regenerate?${query}`, { method: 'POST', body: {} });
    expect([edited.status, again.status]).toEqual([200, 200]);
    return [edited.text, again.text];
  }

  /** A reply whose text uses a passage of a document. */
  async function citing(query: string): Promise<string> {
    const reader = await createReader();
    return rest(await reader.client.stream(reader.chatId, await searching(['Settings[[cite:1]].']), { query }));
  }

  /** A reply with a client-side function call, as an AI SDK page joins it. */
  async function called(): Promise<string> {
    const input = uniqueContent();
    await app.model.script({ key: input, steps: [{ toolCall: { name: 'weather', arguments: '{"city":"Lisbon"}' } }] });
    const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object' } }];
    const program = new ResponsesClient(app.origin, client.token, 'General assistant');
    const { conversation } = await program.create({ input, tools });
    const chatId = Number(conversation?.id.slice('conv_'.length));
    return rest(await client.join(chatId, 'offset=0&stream_format=ui_message'));
  }

  it('have server-sent events, each of them as described', async () => {
    const events = (await everyStream('sse')).flatMap(eventsIn);
    events.forEach(({ event = '', data }) => schemas.check(schemas.replyEvents[event] ?? event, data));
    events.forEach(({ data }) => schemas.check('ReplyEventData', data));
    expect(namesOf(events)).toEqual(
      Object.keys(schemas.replyEvents)
        .filter((name) => !OF_ACTING.has(name))
        .sort(),
    );
  });

  it('have chunks for the AI SDK, each of them as described', async () => {
    const chunks = [...(await everyStream('ui_message')), await called()].flatMap(eventsIn);
    chunks.forEach(({ data }) => schemas.check('UiMessageChunk', data));
    const described = schemas.typesOf('UiMessageChunk').filter((type) => !OF_ACTING.has(String(type)));
    expect([...new Set(chunks.map(({ data }) => data.type))].sort()).toEqual(described.sort());
  });

  it('have the same chunks when the typed client converts events', async () => {
    const typed = useChatTransport(createChatClient({ baseUrl: app.origin, accessToken: client.token }));
    const stops = { steps: [{ text: 'Half a' }, { stall: true as const }] };
    for (const { steps = [], ...script } of [...Object.values(SCRIPTS), stops]) {
      const gate = uniqueContent('gate');
      const first = { reasoning: 'So.' };
      const stream = await sent({ ...script, steps: [first, { hold: gate }, ...steps] }, 'stream_format=ui_message');
      await stream.until('So.');
      const chatId = stream.header('x-chat-id') ?? '';
      const joined = await typed.reconnectToStream({ chatId });
      await app.model.release(gate);
      if (steps === stops.steps) {
        await stream.until('Half a');
        await client.stop(Number(chatId));
      }
      const chunks: StreamEvent['data'][] = [];
      for await (const chunk of joined ?? []) chunks.push(schemas.check('UiMessageChunk', { ...chunk }));
      expect(withWholeDeltas(chunks)).toEqual(withWholeDeltas(eventsIn(await rest(stream)).map(({ data }) => data)));
    }
  });

  it('end plain text with a trailer as described', async () => {
    const trailers = (await everyStream('text')).map((text) => text.split('\n__TOKEN_USAGE__')[1] ?? '');
    const checked = trailers.map((trailer) =>
      schemas.check('ReplyTrailerDto', JSON.parse(trailer) as { status: string }),
    );
    expect([...new Set(checked.map(({ status }) => status))].sort()).toEqual(['completed', 'failed', 'stopped']);
  });

  it('are checked strictly: a member outside every schema is refused', () => {
    const start = { type: 'start', messageId: '2', messageMetadata: { chat_id: 1, user_message_id: 1, message_id: 2 } };
    expect(schemas.check('UiMessageChunk', start)).toBe(start);
    for (const changed of [
      { ...start, extra: 1 },
      { ...start, messageMetadata: { ...start.messageMetadata, extra: 1 } },
      { ...start, messageId: 2 },
    ]) {
      expect(() => schemas.check('UiMessageChunk', changed)).toThrow('No UiMessageChunk');
    }
  });
});

function namesOf(events: { event: string | undefined }[]): string[] {
  return [...new Set(events.map(({ event }) => event ?? ''))].sort();
}

/** The pieces of a part as one. */
function withWholeDeltas(chunks: StreamEvent['data'][]): StreamEvent['data'][] {
  return chunks.reduce<StreamEvent['data'][]>((whole, chunk) => {
    const last = whole.at(-1);
    const isMore = chunk.delta !== undefined && last?.type === chunk.type && last?.id === chunk.id;
    const delta = `${String(last?.delta)}${String(chunk.delta)}`;
    return isMore ? [...whole.slice(0, -1), { ...chunk, delta }] : [...whole, chunk];
  }, []);
}
