import { randomUUID } from 'node:crypto';
import type { ChatDto, ChatWithMessagesDto } from '../../src/modules/chat/chats/chat.dto';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { ReplyStream } from './chat-stream';
import { eventually } from './eventually';
import { type Answer, call, type CallOptions, type ErrorAnswer } from './http';

/** A unique message content, so that the scripted model can distinguish tests. */
export function uniqueContent(text = 'message'): string {
  return `${text} ${randomUUID()}`;
}

/** The failure of a reply, with the ids of the stored messages. */
export function replyFailure(answer: Answer, status: number, code: string): ErrorAnswer['error'] {
  const { error } = answer.body as ErrorAnswer;
  expect({ status: answer.status, code: error.code }).toEqual({ status, code });
  expect(error.details).toEqual(
    expect.objectContaining({ user_message_id: expect.any(Number), message_id: expect.any(Number) }),
  );
  return error;
}

/** A user's actions in the API, over real HTTP. */
export class ChatClient {
  /** @param url the base address of the API */
  constructor(
    readonly url: string,
    readonly token: string,
  ) {}

  request<Body = unknown>(path: string, options: CallOptions = {}): Promise<Answer<Body>> {
    return call<Body>(`${this.url}${path}`, { token: this.token, ...options });
  }

  async createChat(body: object = {}): Promise<ChatDto> {
    const answer = await this.request<ChatDto>('/chat', { body });
    if (answer.status !== 201) {
      throw new Error(`POST /chat answered ${answer.status}: ${answer.text}`);
    }
    return answer.body;
  }

  send(
    chatId: number,
    content: string,
    { body = {}, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
  ): Promise<Answer<[MessageDto, MessageDto]>> {
    return this.request('/chat/message', { body: { chat_id: chatId, content, ...body }, headers });
  }

  /** Sends a message and returns the reply's stream as soon as its head has arrived. */
  stream(
    chatId: number,
    content: string,
    options: { query?: string; body?: object; headers?: Record<string, string> } = {},
  ): Promise<ReplyStream> {
    const { query = 'stream=true', body = {}, headers } = options;
    return ReplyStream.open(`${this.url}/chat/message?${query}`, {
      token: this.token,
      body: { chat_id: chatId, content, ...body },
      headers,
    });
  }

  /** Joins the reply that runs in a conversation. */
  join(chatId: number, query = '', headers: Record<string, string> = {}): Promise<ReplyStream> {
    return ReplyStream.open(`${this.url}/chat/${chatId}/stream?${query}`, { token: this.token, headers });
  }

  async read(chatId: number, query = ''): Promise<ChatWithMessagesDto> {
    return (await this.request<ChatWithMessagesDto>(`/chat/${chatId}${query}`)).body;
  }

  stop(chatId: number): Promise<Answer<{ message_id: number | null }>> {
    return this.request(`/chat/${chatId}/stop`, { method: 'POST' });
  }

  /** Polls the conversation until the reply has finished; fails after some seconds. */
  async waitForEnd(chatId: number): Promise<MessageDto> {
    return eventually(async () => {
      const { active_message_id, messages } = await this.read(chatId);
      const last = messages.at(-1);
      const hasEnded = active_message_id === null && last?.role === 'assistant' && last.status !== 'streaming';
      return hasEnded ? last : undefined;
    });
  }
}
