import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';
import { Lifecycle } from '../../../common/lifecycle';
import type { UtcDay } from '../../../common/utc-day';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { allOf, rowCondition, type Rows } from '../../../database/statements/row-condition';
import { rowsById } from '../../../database/statements/rows-by-id';
import { executeOnce, runForRow } from '../../../database/statements/run-statement';
import { addSumsToCounters } from '../../../database/statements/upsert-counters';
import { addToProviders } from '../costs/provider-sums';
import { UsageCostEntity } from '../costs/usage-cost.entity';
import { SUM_COLUMNS, SUMS } from '../reports/usage-totals';
import { UsageEntryEntity } from '../usage-entry.entity';
import { NewChatEntity } from './new-chat.entity';
import { type CountedRows, countedRows, type CountedTables, UNSUMMED } from './unsummed-usage';

/** Longest time until a message is added to the sums while the service is idle. */
const PAUSE_MILLISECONDS = 1_000;

/** Most rows of each table in one transaction. The number is small so that no request on SQLite waits long. */
const BATCH_ROWS = 500;

const MARKED = { condition: 'unsummed = 1', parameters: [] };

/** Adds rows to sums of another module. */
type Listener = (manager: EntityManager, rows: CountedRows) => Promise<void>;

/**
 * Adds new ledger rows to the sums in batches, so that no message waits for the sums. The same transaction removes the
 * rows' marks. Each row is therefore either in the sums or marked. A statement that reads both counts each row once, at
 * any time and even after a crash.
 *
 * Rows are found by their mark instead of their id, because a transaction with a lower id may commit later. Any number
 * of instances can work concurrently, each on the rows that it has locked.
 */
@Injectable()
export class UsageFolding {
  private readonly logger = new Logger(UsageFolding.name);
  private readonly listeners: Listener[] = [];

  constructor(
    private readonly database: Database,
    private readonly lifecycle: Lifecycle,
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.foldAll(),
      onError: (error) => this.logger.warn({ error }, 'Usage could not be added to the sums.'),
      idleMilliseconds: PAUSE_MILLISECONDS,
    });
  }

  /** Calls `listener` in the same transaction, to add the same rows to other sums. Call it in a constructor. */
  onFold(listener: Listener): void {
    this.listeners.push(listener);
  }

  /** Adds all committed rows, except those that another instance is adding. */
  async foldAll(): Promise<null> {
    if (await this.hasUnsummed(this.database.manager)) {
      // Rows that arrive during this loop can wait for the next run, unless there are many.
      while ((await this.foldBatch()) >= BATCH_ROWS) {
        this.lifecycle.assertAcceptsWork();
      }
    }
    return null;
  }

  /** Adds all committed rows of a user. It waits for another instance that is adding some of them. */
  async foldUser(userId: number): Promise<void> {
    while ((await this.foldBatch(userId)) > 0) {
      this.lifecycle.assertAcceptsWork();
    }
  }

  /** Whether any rows of this day or an earlier one are not in the sums yet. */
  async hasUnsummed(manager: EntityManager, until?: UtcDay): Promise<boolean> {
    const [condition, values] = until === undefined ? ['TRUE', []] : ['day <= ?', [until]];
    const statement = `SELECT 1 FROM (${UNSUMMED}) AS unsummed_usage WHERE ${condition} LIMIT 1`;
    return (await runForRow(manager, statement, values)) !== undefined;
  }

  /** Returns the largest number of rows added from one table. */
  private async foldBatch(userId?: number): Promise<number> {
    return Math.max(await this.foldChats(userId), await this.foldEntries(userId));
  }

  /** Adds messages together with their costs. Messages are locked first, as in the transactions that write them. */
  private foldEntries(userId?: number): Promise<number> {
    return this.database.write(async (manager) => {
      const messageIds = await claim(manager, UsageEntryEntity, 'messageId', MARKED, userId);
      const costIds = await claim(manager, UsageCostEntity, 'id', MARKED, userId);
      const entries = messageIds.length > 0 ? rowsById(manager, 'usage_entries', 'message_id', messageIds) : null;
      const costs = costIds.length > 0 ? rowsById(manager, 'usage_costs', 'id', costIds) : null;
      if (entries !== null || costs !== null) {
        await this.addToSums(manager, { entries: entries?.from, costs: costs?.from });
      }
      if (costs !== null) {
        await addToProviders(manager, costs.from);
      }
      for (const rows of [entries, costs]) {
        if (rows !== null) {
          await executeOnce(manager, rows.update('unsummed = NULL'));
        }
      }
      return Math.max(messageIds.length, costIds.length);
    });
  }

  /**
   * Runs in a separate transaction. It changes users' counters, which a message locks before it adds its entry. On
   * MySQL, claiming entries blocks new ones.
   */
  private foldChats(userId?: number): Promise<number> {
    return this.database.write(async (manager) => {
      const ids = await claim(manager, NewChatEntity, 'id', {}, userId);
      if (ids.length > 0) {
        const { from, remove } = rowsById(manager, 'usage_new_chats', 'id', ids);
        const statement = `SELECT user_id, COUNT(*) AS total_chats FROM ${from} GROUP BY user_id`;
        await addSumsToCounters(manager, 'usage_accounts', ['user_id'], ['total_chats'], { statement, parameters: [] });
        await this.addToSums(manager, { chats: from });
        await executeOnce(manager, remove);
      }
      return ids.length;
    });
  }

  /** Listeners get messages and chats but no costs, because they do not count money. */
  private async addToSums(manager: EntityManager, { costs, ...counted }: CountedTables): Promise<void> {
    const key = ['day', 'user_id', 'agent_id', 'model'];
    const rows = countedRows({ ...counted, costs });
    const statement = `SELECT ${key.join(', ')}, ${SUMS} FROM (${rows}) AS counted GROUP BY ${key.join(', ')}`;
    await addSumsToCounters(manager, 'usage_rollups', key, SUM_COLUMNS, { statement, parameters: [] });
    if (counted.entries !== undefined || counted.chats !== undefined) {
      for (const listener of this.listeners) {
        await listener(manager, countedRows(counted));
      }
    }
  }
}

/** Locks unsummed rows and returns their keys. It waits for locked rows of a given user, and skips others. */
async function claim<Row extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Row>,
  key: keyof Row & string,
  where: Rows<Row>,
  userId?: number,
): Promise<number[]> {
  const unsummed = rowCondition(manager, entity, where);
  const rows = await findRows(
    manager,
    entity,
    userId === undefined ? unsummed : allOf(unsummed, { condition: 'user_id = ?', parameters: [userId] }),
    { members: [key], limit: BATCH_ROWS, lock: userId === undefined ? 'skip' : 'wait' },
  );
  return rows.map((row) => row[key] as number);
}
