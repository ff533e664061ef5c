import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { createAdmin } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { type Answer, expectFailure } from '../support/http';
import { ResponsesClient, textOf } from '../support/open-responses/responses-client';
import { imageOf, png } from '../support/sent-images';
import { useChatApp, useClient } from '../support/use-app';
import { type AgentRequest, agentRequests, createAgent } from './agent-requests';

/** An administrator may change an agent's model in the middle of a conversation. */
describe('a conversation whose agent gets a model that supports less', () => {
  const app = useChatApp();
  const client = useClient(app);
  let agents: AgentRequest;
  let agentId: number;
  let name: string;
  let chatId: number;

  beforeEach(async () => {
    agents = agentRequests(app, (await createAdmin(app)).token);
    ({ id: agentId, name } = await createAgent(agents, { status: 'active' }));
    chatId = (await client.createChat({ agent_id: agentId })).id;
  });

  const post = (body: object): Promise<Answer<[MessageDto, MessageDto]>> =>
    client.request('/chat/message', { body: { chat_id: chatId, ...body } });
  const move = async (fields: object) => expect((await agents('PUT', `/${agentId}`, fields)).status).toBe(200);
  const sentMessages = async (key: string) => (await app.model.requests(key)).at(-1)?.body.messages ?? [];

  const said = uniqueContent('What is on this?');

  beforeEach(async () => {
    const file = { type: 'file', url: 'data:text/plain;base64,YQ==', name: 'notes.txt' };
    const picture = { ...imageOf(png()), name: 'lisbon.png' };
    expect((await post({ parts: [{ type: 'text', text: said }, picture, file] })).status).toBe(200);
  });

  it('continues, and the model reads in words which images and files it cannot be shown', async () => {
    await move({ provider: 'demo' });
    const { status, body } = await post({ content: 'And what else?' });
    expect(status).toBe(200);
    expect(body[1]).toMatchObject({ status: 'completed' });
    // The image is still there, for users and for a model that supports it.
    expect((await client.read(chatId)).messages[0]?.parts).toHaveLength(3);
    await move({ provider: null });
    const key = uniqueContent();
    expect((await post({ content: key })).status).toBe(200);
    expect((await sentMessages(key)).map(({ content }) => JSON.stringify(content)).join()).toContain('image_url');
  });

  it('continues with a model that refuses images itself, which is called once more', async () => {
    const key = uniqueContent();
    const error = { message: 'This model does not support image input.', type: 'invalid_request_error' };
    await app.model.script({ key, times: 1, status: 400, body: JSON.stringify({ error }) });
    await app.model.script({ key, steps: [{ text: 'Gladly.' }] });
    const { status, body } = await post({ content: key });
    expect([status, body[1].content]).toEqual([200, 'Gladly.']);
    const asked = (await app.model.requests(key)).map((request) => JSON.stringify(request.body.messages));
    expect(asked.map((text) => text.includes('image_url'))).toEqual([true, false]);
    expect(asked[1]).toContain('[The image lisbon.png is not sent: this model cannot be shown it.]');
    // Files of another type are still sent.
    expect(asked[1]).toContain('notes.txt');
    expect(asked[1]).toContain('file_data');
  });

  it('refuses to regenerate the reply to the message with the image, and explains what to do', async () => {
    await move({ provider: 'demo' });
    const [message] = (await client.read(chatId)).messages;
    const again = await client.request(`/chat/${chatId}/messages/${message?.id}/regenerate`, { body: {} });
    const error = expectFailure(again, 422, 'FEATURE_NOT_SUPPORTED');
    expect(error.message).toMatch(/another agent/);
    expect((await client.read(chatId)).messages).toHaveLength(2);
  });

  it('continues after function calls and their results', async () => {
    const program = new ResponsesClient(app.origin, client.token, name);
    const conversation = `conv_${chatId}`;
    const items = [
      { role: 'user', content: 'Look it up.' },
      { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"at":"sea"}' },
      { type: 'function_call_output', call_id: 'c1', output: 'A storm.' },
      { role: 'assistant', content: 'There is a storm.' },
    ];
    expect((await program.request(`/conversations/${conversation}/items`, { body: { items } })).status).toBe(200);
    await move({ provider: 'demo' });
    expect((await post({ content: 'And now?' })).body[1]).toMatchObject({ status: 'completed' });
    const response = await program.create({ conversation, input: 'Go on.' });
    expect([response.status, textOf(response)]).toEqual(['completed', expect.stringMatching(/./)]);
    const branch = await program.create({ previous_response_id: response.id, input: 'Once more.', store: false });
    expect(branch.status).toBe('completed');
    const asked = {
      conversation,
      input: [{ role: 'user', content: [{ type: 'input_image', image_url: imageOf(png()).url }] }],
    };
    const refused = await program.post(asked);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('choose another agent')]);
  });

  it('summarises earlier messages, including images', async () => {
    await move({ provider: 'demo' });
    const program = new ResponsesClient(app.origin, client.token, name);
    const response = await program.create({ conversation: `conv_${chatId}`, input: [{ type: 'compaction_trigger' }] });
    expect(response.status).toBe('completed');
  });
});
