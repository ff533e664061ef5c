import { createAdmin } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { CompletionCaller, joined } from '../support/completion-stream';
import { useChatApp, useClient } from '../support/use-app';
import { agentRequests, createAgent } from './agent-requests';

/** A page's request, with the text of its user as the key. */
type Request = (model: string, key: string) => object;

const history = (key: string) =>
  `### Task:\nSummarize the chat.\n### Chat History:\n<chat_history>\nUSER: ${key}\nASSISTANT: Hi\n</chat_history>`;

const asUser = (content: string) => [{ role: 'user', content }];

/** As Open WebUI sends them: each task is one user message with all content, not streamed, some with a limit. */
const OPEN_WEBUI: [task: string, Request][] = [
  ['a title', (model, key) => ({ model, messages: asUser(history(key)), stream: false, max_completion_tokens: 1_000 })],
  ['tags', (model, key) => ({ model, messages: asUser(history(key)), stream: false })],
  ['follow-up questions', (model, key) => ({ model, messages: asUser(history(key)), stream: false })],
  ['an emoji', (model, key) => ({ model, messages: asUser(history(key)), stream: false, max_completion_tokens: 4 })],
  [
    'a choice of functions',
    (model, key) => ({
      model,
      messages: [
        { role: 'system', content: 'Available tools: []' },
        { role: 'user', content: `Query: History:\nUSER: """${key}"""\nQuery: ${key}` },
      ],
      stream: false,
    }),
  ],
];

/** As LibreChat requests titles: only instructions, or a function that accepts the title. */
const LIBRECHAT: [task: string, Request][] = [
  [
    'a title, by instructions alone',
    (model, key) => ({
      model,
      messages: [
        { role: 'system', content: `Name this conversation in five words:\n||>User: ${key}\n||>Response: Hi` },
      ],
      temperature: 0.2,
      presence_penalty: 0,
      frequency_penalty: 0,
      max_tokens: 16,
      user: '68b1c0ffee',
    }),
  ],
  [
    'a title, by a function',
    (model, key) => ({
      model,
      messages: asUser(`Analyze this conversation: User: ${key}`),
      stream: false,
      tools: [
        {
          type: 'function',
          function: {
            name: 'extract',
            description: 'Takes the language and the title',
            parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
          },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'extract' } },
      parallel_tool_calls: false,
    }),
  ],
];

describe('third-party frontends', () => {
  const app = useChatApp();
  const client = useClient(app);
  let model: string;

  beforeAll(async () => {
    const agents = agentRequests(app, (await createAdmin(app)).token);
    model = (await createAgent(agents, { status: 'active', system_prompt: 'You are the agent.' })).name;
  });

  const caller = () => new CompletionCaller(app.origin, client.token);

  it.each([...OPEN_WEBUI, ...LIBRECHAT])('get %s next to their conversation', async (_task, request) => {
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ text: '{"title":"Greeting"}' }] });
    const answer = await caller().complete(request(model, key));
    expect(answer.status).toBe(200);
    expect(answer.body.choices[0]?.message.content).toBe('{"title":"Greeting"}');
    const [told] = await app.model.requests(key);
    expect(told?.body.messages[0]?.content).toContain('You are the agent.');
    expect(told?.body.messages.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining(key) });
    expect((await client.request('/chat')).body).toEqual([]);
  });

  it("get the conversation itself as a stream, with their users' settings", async () => {
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ text: 'Hi' }] });
    const { chunks, isDone } = await caller().stream({
      model,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'Current date: today' },
        { role: 'user', content: 'Earlier' },
        { role: 'assistant', content: '' },
        { role: 'user', content: [{ type: 'text', text: key }] },
      ],
      temperature: 0.8,
      top_p: 0.9,
      top_k: 40,
      repeat_penalty: 1.1,
      num_ctx: 2_048,
      user: { name: 'ada', id: '1', email: 'ada@example.com', role: 'user' },
    });
    expect({ isDone, ...joined(chunks) }).toMatchObject({ isDone: true, content: 'Hi', finish: 'stop' });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  });
});
