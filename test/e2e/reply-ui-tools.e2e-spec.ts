import { readUIMessageStream, safeValidateUIMessages, type UIMessage, type UIMessageChunk } from '../clients/ai-sdk';
import { uniqueContent } from '../support/chat-client';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { useChatApp, useClient } from '../support/use-app';

const CALL = { id: 'call_1', name: 'weather', arguments: '{"city":"Lisbon"}' };
const BROKEN = { id: 'call_2', name: 'time', arguments: '{"zone":' };
const tools = [
  { type: 'function', name: 'weather', parameters: { type: 'object' } },
  { type: 'function', name: 'time', parameters: { type: 'object' } },
];

/** A client's functions, in the stream of a page that joins its reply. */
describe('function calls in the AI SDK’s UI message stream', () => {
  const app = useChatApp();
  const client = useClient(app);
  let input: string;

  beforeEach(() => {
    input = uniqueContent();
  });

  /** Starts a response with functions in the background. @returns its chat */
  async function begin(): Promise<number> {
    const program = new ResponsesClient(app.origin, client.token, 'General assistant');
    const { conversation } = await program.create({ input, tools, background: true });
    return Number(conversation?.id.slice('conv_'.length));
  }

  const join = (chatId: number, query: string) => client.join(chatId, `stream_format=ui_message${query}`);

  function chunksOf(text: string): UIMessageChunk[] {
    const events = text.split('\n\n').filter((event) => event.startsWith('data: {'));
    return events.map((event) => JSON.parse(event.slice('data: '.length)) as UIMessageChunk);
  }

  /** The final message in a page. */
  async function messageOf(chunks: UIMessageChunk[]): Promise<UIMessage> {
    const stream = new ReadableStream<UIMessageChunk>({
      start: (controller) => {
        chunks.forEach((chunk) => controller.enqueue(chunk));
        controller.close();
      },
    });
    let last: UIMessage | undefined;
    for await (const state of readUIMessageStream({ stream, terminateOnError: true })) {
      last = structuredClone(state);
    }
    return last as UIMessage;
  }

  const partsOf = ({ parts }: UIMessage) => parts.filter(({ type }) => type !== 'step-start');

  it('are in a finished reply that contains nothing else', async () => {
    await app.model.script({ key: input, steps: [{ toolCall: CALL }, { toolCall: BROKEN }] });
    const chatId = await begin();
    await client.waitForEnd(chatId);
    const joined = await join(chatId, '&offset=0');
    expect(joined.status).toBe(200);
    const chunks = chunksOf(await joined.rest());
    expect(chunks.filter(({ type }) => type === 'tool-input-available')).toEqual([
      {
        type: 'tool-input-available',
        toolCallId: 'call_1',
        toolName: 'weather',
        input: { city: 'Lisbon' },
        dynamic: true,
      },
      { type: 'tool-input-available', toolCallId: 'call_2', toolName: 'time', input: '{"zone":', dynamic: true },
    ]);
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', messageMetadata: { finishReason: 'tool-calls' } });
    const message = await messageOf(chunks);
    const { body } = await client.request<UIMessage[]>(`/chat/${chatId}/messages?format=ui_message`);
    expect(partsOf(message)).toMatchObject(body[1]?.parts ?? []);
    expect(await safeValidateUIMessages({ messages: [message] })).toMatchObject({ success: true });
    // Others show no calls, so they miss nothing.
    for (const query of ['offset=0', 'offset=0&stream_format=sse', 'stream_format=ui_message']) {
      expect((await client.join(chatId, query)).status).toBe(204);
    }
  });

  it('arrive with the text of a running reply that is joined', async () => {
    await app.model.script({ key: input, steps: [{ text: 'Let me see.' }, { hold: input }, { toolCall: CALL }] });
    const chatId = await begin();
    await app.model.waitFor('received', { key: input });
    const joined = await join(chatId, '');
    await joined.until('Let me see.');
    await app.model.release(input);
    const whole = chunksOf(await joined.rest());
    expect(partsOf(await messageOf(whole))).toMatchObject([
      { type: 'text', text: 'Let me see.' },
      { type: 'dynamic-tool', toolName: 'weather', state: 'input-available', input: { city: 'Lisbon' } },
    ]);
    // A page that has the text may not have the calls.
    const again = await join(chatId, `&offset=${'Let me see.'.length}`);
    expect(chunksOf(await again.rest()).map(({ type }) => type)).toContain('tool-input-available');
  });

  it('are omitted if the reply was stopped before they were complete', async () => {
    const half = { ...CALL, arguments: '{"city":' };
    await app.model.script({ key: input, steps: [{ text: 'Hm.' }, { toolCall: half }, { stall: true }] });
    const chatId = await begin();
    const joined = await join(chatId, '');
    await joined.until('Hm.');
    await client.stop(chatId);
    const types = chunksOf(await joined.rest()).map(({ type }) => type);
    expect(types).not.toContain('tool-input-available');
    expect(types.at(-1)).toBe('abort');
  });
});
