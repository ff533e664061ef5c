import type { ChatDto } from '../modules/chat/chats/chat.dto';
import type { MessageDto } from '../modules/chat/messages/message.dto';
import type { Answer } from './http-answer';
import type { TestAccount } from './test-accounts';

/** A logged-in user, whose requests go to the service over HTTP. Paths are relative to `/api/v1`. */
export class TestUser {
  constructor(
    private readonly url: string,
    private readonly account: TestAccount,
  ) {}

  get id(): number {
    return this.account.user.id;
  }

  get email(): string {
    return this.account.email;
  }

  get password(): string {
    return this.account.password;
  }

  /** The access token, for other clients. */
  get token(): string {
    return this.account.token;
  }

  get<Body>(path: string): Promise<Answer<Body>> {
    return this.call('GET', path);
  }

  post<Body>(path: string, body: object = {}): Promise<Answer<Body>> {
    return this.call('POST', path, body);
  }

  put<Body>(path: string, body: object = {}): Promise<Answer<Body>> {
    return this.call('PUT', path, body);
  }

  delete<Body>(path: string, body?: object): Promise<Answer<Body>> {
    return this.call('DELETE', path, body);
  }

  /** A new conversation with an agent; without an id, with the default one. @throws Error unless it is created */
  async startChat(agentId?: number): Promise<number> {
    const { status, text, body } = await this.post<ChatDto>('/chat', { agent_id: agentId });
    if (status !== 201) {
      throw new Error(`POST /chat returned ${status}: ${text}`);
    }
    return body.id;
  }

  /** Sends a message, and resolves with it and the reply when the reply has ended, or waits for a decision. */
  send(chatId: number, content: string): Promise<Answer<[message: MessageDto, reply: MessageDto]>> {
    return this.post('/chat/message', { chat_id: chatId, content });
  }

  private async call<Body>(method: string, path: string, body?: object): Promise<Answer<Body>> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = text !== '' && (response.headers.get('content-type')?.includes('json') ?? false);
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : text) as Body,
    };
  }
}
