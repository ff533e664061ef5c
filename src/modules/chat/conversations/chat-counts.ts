import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { runForRow } from '../../../database/statements/run-statement';
import { addToCounters } from '../../../database/statements/upsert-counters';
import { ChatCountEntity } from './chat-count.entity';
import { CHAT_COUNTS } from './chat-queries';

type Counted = { userId: number; isArchived: boolean };

/**
 * Updates `ChatCountEntity`. Call it in the transaction of the change, after writing the conversation: its row is then
 * locked, so each change is counted once.
 */
@Injectable()
export class ChatCounts {
  constructor(private readonly database: Database) {}

  /** Counts a conversation that was created or restored from the trash. */
  added(manager: EntityManager, { userId, isArchived }: Counted): Promise<void> {
    return add(manager, userId, { total: 1, archived: isArchived ? 1 : 0 });
  }

  /** Counts a conversation that was moved to the trash. */
  removed(manager: EntityManager, { userId, isArchived }: Counted): Promise<void> {
    return add(manager, userId, { total: -1, archived: isArchived ? -1 : 0 });
  }

  /** Counts a conversation that was archived or unarchived. */
  moved(manager: EntityManager, { userId, isArchived }: Counted): Promise<void> {
    return add(manager, userId, { total: 0, archived: isArchived ? 1 : -1 });
  }

  /** @param isArchived undefined: both archived and other conversations */
  async of(userId: number, isArchived?: boolean): Promise<number> {
    const counts = await CHAT_COUNTS.first(this.database.manager, [userId]);
    const { total, archived } = counts ?? { total: 0, archived: 0 };
    return isArchived === undefined ? total : isArchived ? archived : total - archived;
  }

  /** The total of all users. */
  async ofAll(): Promise<number> {
    const [total] = (await runForRow(this.database.manager, 'SELECT SUM(total) FROM chat_counts', [])) ?? [];
    return Number(total ?? 0);
  }

  async erase(userId: number): Promise<void> {
    await this.database.write((manager) => deleteRows(manager, ChatCountEntity, { userId }));
  }
}

function add(manager: EntityManager, userId: number, counts: Record<'total' | 'archived', number>): Promise<void> {
  return addToCounters(manager, 'chat_counts', { user_id: userId }, counts);
}
