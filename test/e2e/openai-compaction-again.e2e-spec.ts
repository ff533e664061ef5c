import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { makeKey } from '../support/api-keys';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { CompactingProgram, rounds, TRIGGER, useCompactions } from '../support/compactions';
import { useAdmin, useChatApp, useClient } from '../support/use-app';
import { WebhookReceiver } from '../support/webhook-receiver';

describe('a summary as a message in a chat', () => {
  const app = useChatApp();
  const admin = useAdmin(app);
  const user = useClient(app);
  const client = useCompactions(app, user);
  let key: string;
  let chatId: number;
  /** The message with the summary. */
  let messageId: number;

  beforeEach(async () => {
    key = uniqueContent('sum');
    await app.model.script({ key, times: 1, steps: [{ text: 'The first summary.' }] });
    const { id, conversation } = await client.create({ input: [...rounds(key), TRIGGER] });
    messageId = Number(id.slice('resp_'.length));
    chatId = Number(conversation?.id.slice('conv_'.length));
  });

  const regenerate = () =>
    user.request<[MessageDto, MessageDto]>(`/chat/${chatId}/messages/${messageId}/regenerate`, { method: 'POST' });

  /** The summaries in the prompt of the next message. */
  async function nextPrompt(): Promise<string[]> {
    const content = uniqueContent('next');
    expect((await user.send(chatId, content)).status).toBe(200);
    const told = JSON.stringify(await client.promptOf(content, -1));
    return ['The first summary.', 'The second summary.'].filter((summary) => told.includes(summary));
  }

  it('is shown by a part without its text', async () => {
    const { messages } = await user.read(chatId);
    expect(messages.at(-1)).toMatchObject({ content: '', parts: [{ type: 'compaction' }], status: 'completed' });
    expect(messages.at(-1)?.parts).toEqual([{ type: 'compaction' }]);
  });

  it('can be regenerated: its tokens count, and no message', async () => {
    await app.model.script({
      key,
      times: 1,
      steps: [{ text: 'The second summary.' }],
      usage: { prompt_tokens: 70, completion_tokens: 7 },
    });
    const before = await client.used();
    const { status, body } = await regenerate();
    expect([status, body[1]]).toMatchObject([
      200,
      { parts: [{ type: 'compaction' }], token_usage: { total_tokens: 77 } },
    ]);
    expect(await client.used()).toEqual({ messages: before.messages, tokens: before.tokens + 77 });
    const asked = String((await client.promptOf(key, -1)).at(-1)?.content);
    expect([asked.includes('A long plan.'), asked.includes('The first summary.')]).toEqual([true, false]);
    expect(await nextPrompt()).toEqual(['The second summary.']);
  });

  it('stays if no other one can be generated', async () => {
    await app.model.script({ key, times: 1, status: 400, body: '{"error":{"message":"no"}}' });
    expect((await regenerate()).status).toBe(502);
    expect(await nextPrompt()).toEqual(['The first summary.']);
  });

  it('is replaced by an answer when its message is edited', async () => {
    const { messages } = await user.read(chatId);
    const question = messages.at(-2);
    const content = uniqueContent('Go where?');
    await app.model.script({ key: content, steps: [{ text: 'To the sea.' }] });
    const path = `/chat/${chatId}/messages/${question?.id}`;
    const { body } = await user.request<MessageDto[]>(path, { method: 'PUT', body: { content } });
    expect(body[1]).toMatchObject({ content: 'To the sea.', parts: null });
    expect(await nextPrompt()).toEqual([]);
  });

  it('does not count as a message, but the turns sent with it do', async () => {
    const total = async () => (await user.request<{ total_messages: number }>('/user/total-stats')).body.total_messages;
    const receiver = await WebhookReceiver.start();
    const hook = { url: receiver.url(), events: ['message.created'] };
    expect((await user.request('/webhooks', { body: hook })).status).toBe(201);
    const { id, key: secret } = await makeKey(app, user.token, { scopes: ['openai'] });
    const program = new CompactingProgram(app, new ChatClient(app.url, secret));
    const [before, used] = [await total(), await client.used()];
    const input = [...rounds(uniqueContent()), TRIGGER];
    const first = await program.create({ input });
    await program.create({ input: [TRIGGER], previous_response_id: first.id });
    expect(await total()).toBe(before + 4);
    const [ofKey] = await admin.items(`/admin/stats/usage?group_by=api_key&api_key_id=${id}`);
    expect(ofKey).toMatchObject({ key: id, messages: 4, user_messages: 2 });
    expect((await client.used()).messages).toBe(used.messages);
    const told = await receiver.waitFor(4);
    await receiver.stop();
    const roles = told.map(({ body }) => (body.data as { role: string }).role);
    expect(roles.sort()).toEqual(['assistant', 'system', 'user', 'user']);
  });
});
