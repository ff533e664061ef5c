import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { allOf, idIn, type RowCondition } from '../../../database/statements/row-condition';
import { isHeld, LegalHolds } from '../../hold/hold.api';
import { type Removed, RetainedData, type RetainedRows } from '../../retention/retention.api';
import { UsageEntryEntity } from '../usage-entry.entity';
import { UsageCostEntity } from './usage-cost.entity';

/** Deletes rows of usage and cost by a retention policy. The sums stay, so rows that are not in them yet do too. */
@Injectable()
export class ExpiredLedger {
  constructor(
    private readonly database: Database,
    private readonly holds: LegalHolds,
    data: RetainedData,
  ) {
    data.add<UsageEntryEntity>({
      ...this.rows('usage_entries'),
      entity: UsageEntryEntity,
      id: 'messageId',
      at: 'createdAt',
      remove: (ids, due) => this.remove(UsageEntryEntity, allOf(idIn(ids, 'usage_entries.message_id'), due)),
    });
    data.add<UsageCostEntity>({
      ...this.rows('usage_costs'),
      entity: UsageCostEntity,
      id: 'id',
      at: 'createdAt',
      remove: (ids, due) => this.remove(UsageCostEntity, allOf(idIn(ids, 'usage_costs.id'), due)),
    });
  }

  private rows(table: string): Pick<RetainedRows, 'kind' | 'owner' | 'held' | 'condition' | 'batch'> {
    return {
      kind: 'ledger',
      owner: null,
      held: isHeld(`${table}.user_id`, `${table}.chat_id`),
      // With IS NULL, the database could take the index on the mark, and read the whole ledger.
      condition: () => ({ condition: `COALESCE(${table}.unsummed, 0) = 0`, parameters: [] }),
      batch: 500,
    };
  }

  private remove(entity: typeof UsageEntryEntity | typeof UsageCostEntity, rows: RowCondition): Promise<Removed> {
    return this.database.write(async (manager) => {
      await this.holds.lockForDeletion(manager);
      return { deleted: { ledger: await deleteRows<object>(manager, entity, rows) } };
    });
  }
}
