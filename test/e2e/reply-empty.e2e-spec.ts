import { createAdmin } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { CompletionCaller, joined } from '../support/completion-stream';
import { lastResponse, ResponsesClient, textOf } from '../support/open-responses/responses-client';
import { useChatApp, useClient } from '../support/use-app';
import { agentRequests, createAgent } from './agent-requests';

const THOUGHT = 'Hm.';

/** Model outputs without text, with their finish reasons. */
const EMPTY: [name: string, reasoning: string, finish: 'stop' | 'length'][] = [
  ['nothing at all', '', 'stop'],
  ['nothing within its greatest length', '', 'length'],
  ['thoughts alone', THOUGHT, 'stop'],
  ['thoughts that take all of its length', THOUGHT, 'length'],
];

describe.each(EMPTY)('a model that returns %s', (_name, reasoning, finish) => {
  const app = useChatApp();
  const client = useClient(app);
  let model: string;
  let content: string;

  beforeAll(async () => {
    const requests = agentRequests(app, (await createAdmin(app)).token);
    model = (await createAgent(requests, { status: 'active' })).name;
  });

  beforeEach(async () => {
    content = uniqueContent();
    const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
    await app.model.script({ key: content, steps: reasoning === '' ? [] : [{ reasoning }], finish, usage });
  });

  it.each(['', '?stream=true', '?stream_format=sse', '?stream_format=ui_message'])(
    'has completed its reply, and its tokens count (/chat/message%s)',
    async (query) => {
      const { id } = await client.createChat();
      const answer = await client.request(`/chat/message${query}`, { body: { chat_id: id, content } });
      expect(answer.status).toBe(200);
      if (query !== '') expect(answer.text).toContain(`"status":"completed","finish_reason":"${finish}","error":null`);
      const [, reply] = (await client.read(id)).messages;
      expect(reply).toMatchObject({
        status: 'completed',
        finish_reason: finish,
        content: '',
        reasoning: reasoning === '' ? null : reasoning,
        error: null,
        token_usage: { total_tokens: 13 },
      });
      if (query === '') expect(answer.body).toMatchObject([{ role: 'user', content }, reply]);
    },
  );

  it('has completed a chat completion, whole and streamed', async () => {
    const caller = new CompletionCaller(app.origin, client.token);
    const asked = { model, messages: [{ role: 'user', content }] };
    const { status, body } = await caller.complete(asked);
    expect(status).toBe(200);
    const message = { role: 'assistant', ...(reasoning !== '' && { reasoning_content: reasoning }) };
    expect(body.choices).toMatchObject([{ finish_reason: finish, message }]);
    // A client that expects a text gets one.
    expect(body.choices[0]?.message.content).toBe('');
    const { chunks, isDone } = await caller.stream(asked);
    expect({ ...joined(chunks), isDone }).toEqual({ content: '', reasoning, finish, isDone: true });
  });

  it('has completed a response, whole, streamed and joined, or reports that it was truncated', async () => {
    const responses = new ResponsesClient(app.origin, client.token, model);
    const whole = await responses.create({ input: content });
    const events = await responses.stream({ input: content });
    for (const response of [whole, lastResponse(events), await responses.get(whole.id)]) {
      expect(response).toMatchObject(
        finish === 'stop'
          ? { status: 'completed', error: null, incomplete_details: null }
          : { status: 'incomplete', error: null, incomplete_details: { reason: 'max_output_tokens' } },
      );
      expect(textOf(response)).toBe('');
    }
    expect(await responses.join(lastResponse(events).id)).toEqual(events);
  });
});
