// @databases mariadb mysql: locks and deadlocks
import { setTimeout as delay } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { Database } from '../../src/database/database';
import { toDocuments } from '../../src/integrations/text-index/segment-documents';
import { ChatRetention } from '../../src/modules/chat/chat.retention';
import { SEARCH_TABLES } from '../../src/modules/chat/conversations/message.entity';
import { MessageIndex } from '../../src/modules/chat/search/message-index';
import { PersonalDataRegistry } from '../../src/modules/user/personal-data/personal-data-registry';
import type { ChatClient } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { useOwnChatApp } from '../support/use-app';

/** Longer than an erasure without contention. */
const PAUSE_MILLISECONDS = 1_500;

/** Internal functions of the index. */
interface Inner {
  collector: {
    collect(): Promise<boolean>;
    store(manager: EntityManager, batch: unknown[]): Promise<void>;
  };
  lag(): Promise<number>;
}

describe('an erasure while messages are added to the search index', () => {
  const app = useOwnChatApp();
  let client: ChatClient;
  let userId: number;

  beforeEach(async () => {
    client = await app.newClient();
    userId = (await client.request<{ id: number }>('/auth/me')).body.id;
  });

  const createChat = async (): Promise<number> => {
    const { id } = await client.createChat({ title: 'Any' });
    await app.storeMessages(id, 4);
    return id;
  };

  /** Until all messages are in segments. */
  const collect = async (): Promise<void> => {
    const index = app.app.get<unknown, Inner>(MessageIndex);
    await eventually(async () => {
      app.advanceClock(180_000);
      return !(await index.collector.collect()) && (await index.lag()) === 0;
    });
  };

  const chatsInSegments = async (): Promise<number[]> => {
    const segments = await app.app.get(Database).repository(SEARCH_TABLES.segments).findBy({ ownerId: userId });
    return segments.flatMap((segment) => [-1, ...toDocuments(segment).map(({ groupId }) => groupId)]);
  };

  /** Erases when a collection has read everything and is about to write. */
  async function collectDuring(erase: () => Promise<void>): Promise<void> {
    const { collector } = app.app.get<unknown, Inner>(MessageIndex);
    const store = collector.store.bind(collector);
    let reached: () => void;
    const reading = new Promise<void>((resolve) => (reached = resolve));
    let goOn: () => void;
    const paused = new Promise<void>((resolve) => (goOn = resolve));
    const spy = jest.spyOn(collector, 'store').mockImplementationOnce(async (manager, batch) => {
      const save = manager.save.bind(manager) as (entity: object) => Promise<object>;
      Object.assign(manager, {
        save: async (entity: object) => {
          reached();
          await paused;
          return save(entity);
        },
      });
      await store(manager, batch);
    });
    const collecting = collect();
    await reading;
    const erasing = erase();
    await Promise.race([erasing, delay(PAUSE_MILLISECONDS)]);
    goOn!();
    await Promise.all([collecting, erasing]);
    spy.mockRestore();
    await collect();
  }

  it('leaves nothing of a user', async () => {
    await createChat();
    await collectDuring(async () => {
      for (const { erase } of app.app.get(PersonalDataRegistry).sources) {
        await erase(userId);
      }
    });
    expect(await chatsInSegments()).toEqual([]);
  });

  it('leaves nothing of a conversation, and everything of another that gets messages', async () => {
    const erased = await createChat();
    await collect();
    const kept = await createChat();
    await collectDuring(() => app.app.get(ChatRetention).erase([erased]));
    expect(await chatsInSegments()).toEqual([-1, kept, kept, kept, kept]);
  });
});
