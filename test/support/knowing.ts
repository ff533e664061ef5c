import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import type { KnowledgeDto } from '../../src/modules/knowledge/collections/store.dto';
import { createUser, newcomer } from './accounts';
import type { AdminClient } from './admin-client';
import type { ChatApp } from './chat-app';
import { ChatClient, uniqueContent } from './chat-client';
import { addIndexedFile, type StoredIndexedFile } from './indexed-files';
import { useAdmin, useOwnChatApp } from './use-app';

/** A user with a collection, and an agent that searches it. */
export interface Reader {
  client: ChatClient;
  userId: number;
  store: KnowledgeDto;
  file: StoredIndexedFile;
  agent: AgentAdminDto;
  chatId: number;
}

export const PASSWORDS = 'To reset your password, open the settings. Write [[cite:1]] on paper.';

/** An instance with agents that search documents. */
export function useKnowing(overrides: Record<string, string> = {}) {
  const app = useOwnChatApp(overrides);
  const admin = useAdmin(app);
  return { app, admin, ...knowingIn(app, admin) };
}

/** The helpers of tests with agents that search documents. */
export function knowingIn(app: ChatApp, admin: AdminClient) {
  async function createStore(client: ChatClient, body: object = {}): Promise<KnowledgeDto> {
    const sent = { name: newcomer().username, ...body };
    return (await client.request<{ data: KnowledgeDto }>('/knowledge', { body: sent })).body.data;
  }

  async function createAgent(fields: object = {}): Promise<AgentAdminDto> {
    return (await admin.post<AgentAdminDto>('/agents', { name: newcomer().username, ...fields })).body.data;
  }

  async function createReader(fields: object = {}, text = PASSWORDS): Promise<Reader> {
    const account = await createUser(app);
    const client = new ChatClient(app.url, account.token);
    const userId = account.user.id;
    const store = await createStore(client);
    const passage = { start: 0, end: text.length, page: 12, heading: 'Accounts › Passwords' };
    const file = await addIndexedFile(app, {
      storeId: store.id,
      ownerId: userId,
      text,
      passages: [passage],
      filename: 'handbook.pdf',
    });
    const agent = await createAgent({ knowledge: [store.id], ...fields });
    const { id: chatId } = await client.createChat({ agent_id: agent.id });
    return { client, userId, store, file, agent, chatId };
  }

  /** The model searches for `queries`, and then says `texts`. @returns the message that makes it do so */
  async function searching(texts: string[], given: object = { queries: ['reset password'] }): Promise<string> {
    const key = uniqueContent();
    const toolCall = { id: 'search', name: 'search_knowledge', arguments: JSON.stringify(given) };
    await app.model.script({ key, times: 1, steps: [{ text: 'Let me see. ' }, { toolCall }] });
    await app.model.script({ key, steps: texts.map((text) => ({ text })) });
    return key;
  }

  async function ask({ client, chatId }: Pick<Reader, 'client' | 'chatId'>, key: string): Promise<MessageDto> {
    return (await client.send(chatId, key)).body[1];
  }

  return { createStore, createAgent, createReader, searching, ask };
}
