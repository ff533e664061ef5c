import { useActing } from '../../test/support/acting';
import { uniqueContent } from '../../test/support/chat-client';
import { type ChatClient, createChatClient, isApiError, type ReplyEvent } from '../src/index';
import { useChatTransport } from '../src/use-chat';

/** Returns the response headers, but loses the body. */
const losingAnswersToPost: typeof fetch = async (url, init) => {
  const { body, status, headers } = await fetch(url, init);
  if (init?.method !== 'POST') return new Response(body, { status, headers });
  await body?.cancel();
  const lost = new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) });
  return new Response(lost, { status, headers });
};

/** The response to the first POST breaks off after its first reasoning event. */
function losingFirstPost(): typeof fetch {
  let isLost = false;
  return async (url, init) => {
    const response = await fetch(url, init);
    if (init?.method !== 'POST' || isLost) return response;
    isLost = true;
    const { status, headers } = response;
    const [first, ...events] = (await response.text()).split(/(?=event: reasoning\n)/);
    expect(events.length).toBeGreaterThan(1);
    const pieces = [first, events[0]].map((text) => new TextEncoder().encode(text));
    const body = new ReadableStream({
      pull: (controller) => {
        const piece = pieces.shift();
        if (piece) controller.enqueue(piece);
        else controller.error(new TypeError('terminated'));
      },
    });
    return new Response(body, { status, headers });
  };
}

describe('tool calls through the client', () => {
  const { app, client: person, tools, chatWith, calling, saying } = useActing();
  const clientOf = (): ChatClient => createChatClient({ baseUrl: app.origin, accessToken: person.token });

  async function read(events: AsyncIterable<ReplyEvent>): Promise<ReplyEvent[]> {
    const all: ReplyEvent[] = [];
    for await (const event of events) all.push(event);
    return all;
  }

  const kinds = (events: ReplyEvent[]): string => events.map(({ type }) => type).join();

  it('stream calls, results and pending actions, and resume with only the new events', async () => {
    const client = clientOf();
    const chat_id = await chatWith([{ name: 'calculate' }, { name: 'book' }]);
    const content = uniqueContent();
    await calling(content, ['calculate', { expression: '1 + 1' }], ['book', { what: content }]);
    await saying(content, 'Done.');
    const asked = await read(client.send({ chat_id, content }));
    expect(kinds(asked)).toBe('message_start,delta,tool_call,tool_call,tool_result,action_required,message_end');
    expect(asked.at(-1)).toMatchObject({ status: 'requires_action' });
    const [action] = await client.chat.actions.list({ path: { chat_id } });
    const { id: action_id, arguments_hash } = action!;
    const wish = { chat_id, action_id, decision: 'approve', arguments_hash } as const;
    const gone = await read(client.decide(wish));
    expect(kinds(gone)).toMatch(/^message_start,.*tool_result,delta,message_end$/);
    expect(gone.at(-2)).toEqual({ type: 'delta', text: 'Done.', offset: 'Let me see. Done.'.length });
    expect(tools.booked).toEqual([content]);
    const other = read(client.decide({ ...wish, decision: 'deny' }));
    const failure = await other.catch((error: unknown) => error);
    expect(isApiError(failure, 'ACTION_ALREADY_DECIDED')).toBe(true);
  });

  it('resume with only the new events when the response is lost before its first event', async () => {
    const asked = uniqueContent();
    const chat_id = await chatWith([{ name: 'book' }]);
    await calling(asked, ['book', { what: asked }]);
    await saying(asked, 'Done.');
    await read(clientOf().send({ chat_id, content: asked }));
    const [action] = await clientOf().chat.actions.list({ path: { chat_id } });
    const losing = createChatClient({ baseUrl: app.origin, accessToken: person.token, fetch: losingAnswersToPost });
    const { id: action_id, arguments_hash } = action!;
    const gone = await read(losing.decide({ chat_id, action_id, decision: 'approve', arguments_hash }));
    expect(gone[0]).toMatchObject({ type: 'message_start', offset: 'Let me see. '.length });
    expect(gone.filter(({ type }) => type === 'delta')).toEqual([expect.objectContaining({ text: 'Done.' })]);
    expect(gone.at(-1)).toMatchObject({ type: 'message_end', status: 'completed' });
    expect(tools.booked).toContain(asked);
  });

  it('stream the reasoning after a decision once, even if there is no text before it and the response breaks off in it', async () => {
    const key = uniqueContent();
    const chat_id = await chatWith([{ name: 'book' }]);
    const toolCall = { name: 'book', arguments: JSON.stringify({ what: key }) };
    await app.model.script({ key, times: 1, steps: [{ reasoning: 'A room, then.' }, { toolCall }] });
    await app.model.script({
      key,
      steps: [{ reasoning: 'It is ' }, { delay: 2 }, { reasoning: 'there.' }, { delay: 2 }, { text: 'Done.' }],
    });
    await read(clientOf().send({ chat_id, content: key }));
    const [action] = await clientOf().chat.actions.list({ path: { chat_id } });
    const losing = createChatClient({ baseUrl: app.origin, accessToken: person.token, fetch: losingFirstPost() });
    const { id: action_id, arguments_hash } = action!;
    const events = await read(losing.decide({ chat_id, action_id, decision: 'approve', arguments_hash }));
    const told = events.flatMap((event) => (event.type === 'reasoning' ? [event.text] : []));
    expect(told.join('')).toBe('It is there.');
    expect(events.filter(({ type }) => type === 'tool_call')).toHaveLength(0);
    expect(events.at(-1)).toMatchObject({ type: 'message_end', status: 'completed' });
    expect(tools.booked.filter((what) => what === key)).toHaveLength(1);
  });

  it('reach useChat as calls, with pending actions as separate parts', async () => {
    const client = clientOf();
    const chat_id = await chatWith([{ name: 'calculate' }, { name: 'book' }]);
    const content = uniqueContent();
    await calling(content, ['calculate', { expression: '1 + 1' }], ['book', { what: content }]);
    const stream = await useChatTransport(client).sendMessages({
      ...{ chatId: String(chat_id), trigger: 'submit-message', messageId: undefined },
      messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: content }] }],
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    const [action] = await client.chat.actions.list({ path: { chat_id } });
    expect(chunks).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'tool-input-available', toolName: 'calculate', providerExecuted: true }),
        expect.objectContaining({ type: 'tool-output-available', output: '{"result":"2","exact":true}' }),
        expect.objectContaining({ type: 'data-action', id: String(action?.id), data: action }),
      ]),
    );
    expect(chunks.at(-1)).toMatchObject({ type: 'finish' });
  });
});
