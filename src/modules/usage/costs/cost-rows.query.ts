import { Injectable } from '@nestjs/common';
import type { FindOptionsWhere } from 'typeorm';
import { Database } from '../../../database/database';
import { findPage } from '../../../database/statements/find';
import { nextOf } from '../../../database/statements/list-rows';
import { allOf, type RowCondition, rowCondition } from '../../../database/statements/row-condition';
import { groupPattern, IS_IN_GROUP, UsageCostEntity } from './usage-cost.entity';

/** A read-only row of the cost ledger. */
export type CostRow = Readonly<UsageCostEntity>;

/** Selects rows. An absent group does not filter. */
export interface CostRowFilter {
  where: FindOptionsWhere<UsageCostEntity>;
  groupId?: number;
}

/** Reads rows of the ledger, newest first. */
@Injectable()
export class CostRowsQuery {
  constructor(private readonly database: Database) {}

  page(filter: CostRowFilter, part: { offset: number; limit: number }): Promise<{ items: CostRow[]; total: number }> {
    const { manager } = this.database;
    return findPage(manager, UsageCostEntity, this.condition(filter), { order: { id: 'DESC' }, ...part });
  }

  /** The rows after the one with this id, for a file. */
  after(filter: CostRowFilter, lastId: number | undefined): Promise<CostRow[]> {
    return nextOf(this.database.manager, UsageCostEntity, this.condition(filter), lastId);
  }

  private condition({ where, groupId }: CostRowFilter): RowCondition {
    const rows = rowCondition(this.database.manager, UsageCostEntity, where);
    return groupId === undefined ? rows : allOf(rows, { condition: IS_IN_GROUP, parameters: [groupPattern(groupId)] });
  }
}
