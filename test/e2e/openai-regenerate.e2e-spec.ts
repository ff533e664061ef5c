import { Database } from '../../src/database/database';
import type { ChatWithMessagesDto } from '../../src/modules/chat/chats/chat.dto';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { ReplyOptionsEntity } from '../../src/modules/chat/options/reply-options.entity';
import { uniqueContent } from '../support/chat-client';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { useChatApp, useClient } from '../support/use-app';

const OPTIONS = {
  instructions: 'Answer as a pirate.',
  tools: [
    {
      type: 'function',
      name: 'get_weather',
      description: 'The weather of a city.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      strict: true,
    },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: false,
  text: { format: { type: 'json_schema', name: 'answer', schema: { type: 'object' } }, verbosity: 'low' },
  temperature: 0.25,
  top_p: 0.5,
  max_output_tokens: 77,
  reasoning: { effort: 'low' },
};

/** The parameters of a regenerated reply's model request; the conversation is tested elsewhere. */
const ASKED = [
  ...['tools', 'tool_choice', 'parallel_tool_calls', 'response_format', 'verbosity'],
  ...['temperature', 'top_p', 'max_tokens', 'reasoning_effort'],
];

describe('a response that is regenerated as a chat message', () => {
  const app = useChatApp();
  const user = useClient(app);
  let client: ResponsesClient;
  let input: string;
  let chatId: number;
  /** The message of the response, and its question. */
  let messageId: number;
  let questionId: number;

  beforeEach(async () => {
    client = new ResponsesClient(app.origin, user.token, 'General assistant');
    input = uniqueContent('ask');
    await app.model.script({ key: input, times: 1, steps: [{ text: '{"answer":"Aye."}' }] });
    const { id, conversation } = await client.create({ input, ...OPTIONS });
    messageId = Number(id.slice('resp_'.length));
    chatId = Number(conversation?.id.slice('conv_'.length));
    const { messages } = (await user.request<ChatWithMessagesDto>(`/chat/${chatId}`)).body;
    questionId = messages.findLast(({ role }) => role === 'user')?.id ?? 0;
  });

  const bodies = async () => (await app.model.requests(input)).map(({ body }) => body);

  async function expectSameWishes(): Promise<void> {
    const [first, ...others] = await bodies();
    for (const body of others) {
      for (const name of ASKED) {
        expect([name, body[name]]).toEqual([name, first?.[name]]);
      }
      expect(body.messages[0]).toEqual(first?.messages[0]);
    }
    expect(first).toMatchObject({ temperature: 0.25, max_tokens: 77, verbosity: 'low' });
    expect(first?.messages[0]?.content).toContain(OPTIONS.instructions);
  }

  const regenerate = async (id: number) => {
    const answer = await user.request<MessageDto[]>(`/chat/${chatId}/messages/${id}/regenerate`, { method: 'POST' });
    expect(answer.status).toBe(200);
    return answer.body[1] as MessageDto;
  };

  it('keeps its instructions, format, functions and limits, even when it is regenerated again', async () => {
    const { id } = await regenerate(messageId);
    await regenerate(id);
    // By the user's message.
    await regenerate(questionId);
    expect(await bodies()).toHaveLength(4);
    await expectSameWishes();
  });

  it('keeps them for useChat', async () => {
    const body = { chat_id: chatId, content: input, trigger: 'regenerate-message', message_id: messageId };
    const answer = await user.request('/chat/message?stream_format=ui_message', { body });
    expect(answer.status).toBe(200);
    expect(await bodies()).toHaveLength(2);
    await expectSameWishes();
  });

  it('keeps them for an edited message, and for a reply to that', async () => {
    const edited = `${input} again`;
    const path = `/chat/${chatId}/messages/${questionId}`;
    const answer = await user.request<MessageDto[]>(path, { method: 'PUT', body: { content: edited } });
    expect(answer.body[0]?.content).toBe(edited);
    await regenerate(answer.body[1]?.id ?? 0);
    expect(await bodies()).toHaveLength(3);
    await expectSameWishes();
  });

  it('calls its functions again', async () => {
    await app.model.script({
      key: input,
      steps: [{ toolCall: { name: 'get_weather', arguments: '{"city":"Rome"}' } }],
    });
    const reply = await regenerate(messageId);
    expect(reply).toMatchObject({
      finish_reason: 'tool_calls',
      parts: [{ type: 'tool_call', name: 'get_weather', arguments: '{"city":"Rome"}' }],
    });
  });

  it('passes them to no other message', async () => {
    await regenerate(messageId);
    const next = uniqueContent('next');
    expect((await user.send(chatId, next)).status).toBe(200);
    const [request] = await app.model.requests(next);
    expect(request?.body).not.toHaveProperty('tools');
    expect(request?.body).not.toHaveProperty('response_format');
    expect(request?.body.messages[0]?.content).not.toContain(OPTIONS.instructions);
  });

  it('has its own options among concurrent ones, of which one gets the conversation', async () => {
    const body = { conversation: `conv_${chatId}`, instructions: 'Answer as two pirates.' };
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => client.post({ ...body, input: uniqueContent() })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const kept = app.app.get(Database).repository(ReplyOptionsEntity);
    expect(await kept.countBy({ chatId })).toBe(2);
  });

  it('loses them when the response is deleted', async () => {
    const other = await client.create({ input: uniqueContent(), conversation: `conv_${chatId}` });
    expect(other.status).toBe('completed');
    const { id } = await regenerate(messageId);
    expect((await client.request(`/responses/resp_${messageId}`, { method: 'DELETE' })).status).toBe(200);
    await regenerate(id);
    const [, , body] = await bodies();
    expect(body).not.toHaveProperty('tools');
    expect(JSON.stringify(body)).not.toContain(OPTIONS.instructions);
    const kept = app.app.get(Database).repository(ReplyOptionsEntity);
    expect(await kept.countBy({ chatId })).toBe(0);
  });
});
