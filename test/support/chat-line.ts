import type { ChatDto } from '../../src/modules/chat/chats/chat.dto';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import type { ChatClient } from './chat-client';
import type { ModelServer } from './model-server/model-server';

/** The user's messages on a conversation's current branch. All sources of the branch are compared. */
export async function readLine(client: ChatClient, chatId: number): Promise<string[]> {
  const { messages, message_count } = await client.read(chatId);
  expect(message_count).toBe(messages.length);
  expect(messages.map(({ parent_id }) => parent_id)).toEqual([null, ...messages.map(({ id }) => id)].slice(0, -1));
  expect(messages.every(({ is_current }) => is_current)).toBe(true);
  const { body, headers } = await client.request<MessageDto[]>(`/chat/${chatId}/messages`);
  expect([body, headers.get('x-total-count')]).toEqual([messages, String(messages.length)]);
  const { body: listed } = await client.request<ChatDto[]>('/chat?include_messages=true');
  expect(listed.find(({ id }) => id === chatId)?.messages).toEqual(messages);
  return messages.filter(({ role }) => role === 'user').map(({ content }) => content);
}

/** The user messages that the model received for its last answer. */
export async function turnsOf(model: ModelServer, content: string): Promise<unknown[] | undefined> {
  const request = (await model.requests(content)).at(-1);
  return request?.body.messages.filter(({ role }) => role === 'user').map((message) => message.content);
}
