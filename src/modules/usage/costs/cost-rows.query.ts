import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, In, LessThan } from 'typeorm';
import { CSV_BATCH } from '../../../common/csv/csv';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { readNumbers, readRows } from '../../../database/statements/long-reads';
import { allOf, type RowCondition, rowCondition } from '../../../database/statements/row-condition';
import { groupPattern, IS_IN_GROUP, UsageCostEntity } from './usage-cost.entity';

/** A read-only row of the cost ledger. */
export type CostRow = Readonly<UsageCostEntity>;

/** Selects rows. An absent group does not filter. */
export interface CostRowFilter {
  where: FindOptionsWhere<UsageCostEntity>;
  groupId?: number;
}

/** Reads rows of the ledger, newest first. Most filters have no index, so they read the whole ledger. */
@Injectable()
export class CostRowsQuery {
  constructor(private readonly database: Database) {}

  async page(
    filter: CostRowFilter,
    part: { offset: number; limit: number },
  ): Promise<{ items: CostRow[]; total: number }> {
    const matching = this.condition(filter);
    const items = await this.find(matching, part);
    const { condition, parameters } = matching;
    const [[total] = []] = await readRows(
      this.database,
      `SELECT COUNT(*) FROM usage_costs WHERE ${condition}`,
      parameters,
    );
    return { items, total: Number(total) };
  }

  /** The rows after the one with this id, for a file. */
  after(filter: CostRowFilter, lastId: number | undefined): Promise<CostRow[]> {
    const where = lastId === undefined ? filter.where : { ...filter.where, id: LessThan(lastId) };
    return this.find(this.condition({ ...filter, where }), { offset: 0, limit: CSV_BATCH });
  }

  private async find(
    { condition, parameters }: RowCondition,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<CostRow[]> {
    const found = `usage_costs WHERE ${condition} ORDER BY id DESC LIMIT ? OFFSET ?`;
    const ids = await readNumbers(this.database, 'id', found, [...parameters, limit, offset]);
    return findRows(this.database.manager, UsageCostEntity, { id: In(ids) }, { order: { id: 'DESC' } });
  }

  private condition({ where, groupId }: CostRowFilter): RowCondition {
    const rows = rowCondition(this.database.manager, UsageCostEntity, where);
    return groupId === undefined ? rows : allOf(rows, { condition: IS_IN_GROUP, parameters: [groupPattern(groupId)] });
  }
}
