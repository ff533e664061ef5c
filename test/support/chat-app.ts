import type { ImportedModule } from '../../src/common/features/features';
import { Database } from '../../src/database/database';
import { ChatEntity } from '../../src/modules/chat/conversations/chat.entity';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import type { UserEntity } from '../../src/modules/user/account/user.entity';
import { forgetProviderFailures } from '../../src/testing/service-instance';
import { createUser } from './accounts';
import { ChatClient } from './chat-client';
import { type ModelServer, startModelServer } from './model-server/model-server';
import { startTestApp, type TestApp } from './test-app';

/** The service with a scripted language model behind it. */
export interface ChatApp extends TestApp {
  model: ModelServer;
  /** Stores messages without a model: `message 0`, `message 1` … or all with the same content. */
  storeMessages(chatId: number, count: number, content?: string): Promise<void>;
  /** A new logged-in user. */
  newClient(columns?: Partial<UserEntity>): Promise<ChatClient>;
}

/** Settings that make the service call the scripted model. */
export function modelEnvironment(model: ModelServer): Record<string, string> {
  return { LLM_PROVIDER: 'openai-compatible', LLM_BASE_URL: model.openAiUrl, LLM_MODEL: 'scripted' };
}

/**
 * Starts both; model retries have no pause.
 *
 * @param features modules from outside of the service
 */
export async function startChatApp(
  overrides: Record<string, string> = {},
  features: readonly ImportedModule[] = [],
): Promise<ChatApp> {
  const model = await startModelServer();
  const app = await startTestApp({ ...modelEnvironment(model), ...overrides }, features);
  forgetProviderFailures(app.app);
  return {
    ...app,
    model,
    newClient: async (columns) => new ChatClient(app.url, (await createUser(app, columns)).token),
    storeMessages: (...messages) => storeMessages(app, ...messages),
    close: async () => {
      await app.close();
      await model.close();
    },
  };
}

async function storeMessages({ app }: TestApp, chatId: number, count: number, content?: string): Promise<void> {
  const at = new Date();
  const rows = Array.from({ length: count }, (_value, index) => ({
    chatId,
    position: index - (index % 2),
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: content ?? `message ${index}`,
    status: 'completed' as const,
    isCurrent: true,
    tokenCount: 2,
    createdAt: at,
    updatedAt: at,
  }));
  await app.get(Database).write(async (manager) => {
    for (let start = 0; start < rows.length; start += 200) {
      await manager.insert(MessageEntity, rows.slice(start, start + 200));
    }
    const last = await manager.findOne(MessageEntity, {
      select: { id: true },
      where: { chatId },
      order: { id: 'DESC' },
    });
    const line = { messageCount: count, lineEndId: last?.id ?? null };
    await manager.update(ChatEntity, { id: chatId }, { ...line, updatedAt: new Date() });
  });
}
