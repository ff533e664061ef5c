import { Database } from '../../src/database/database';
import { ChatEntity } from '../../src/modules/chat/conversations/chat.entity';
import type { ChatClient } from './chat-client';
import type { TestApp } from './test-app';

const HOUR = 3_600_000;

/**
 * Stores conversations of one user, which start an hour apart: `Conversation 1` is the newest. Every tenth has tags.
 *
 * @returns their titles, the newest first
 */
export async function storeChats({ app }: TestApp, client: ChatClient, count: number): Promise<string[]> {
  const { id } = await client.createChat({ title: 'Conversation 0' });
  const database = app.get(Database);
  const sample = await database.manager.findOneByOrFail(ChatEntity, { id });
  const rows = Array.from({ length: count }, (_value, index) => {
    const at = new Date(sample.updatedAt.getTime() - (index + 1) * HOUR);
    const tags = index % 10 === 0 ? [`tag ${index % 70}`] : [];
    return { ...sample, id: undefined, title: `Conversation ${index + 1}`, tags, createdAt: at, updatedAt: at };
  });
  await database.write(async (manager) => {
    for (let start = 0; start < rows.length; start += 200) {
      await manager.insert(ChatEntity, rows.slice(start, start + 200));
    }
  });
  return ['Conversation 0', ...rows.map(({ title }) => title)];
}
