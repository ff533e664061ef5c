import type { UsageSource } from './usage-sources';
import { SUM_COLUMNS, SUMS } from './usage-totals';

/** What a group is called in the tables: a day's number, a user's or agent's id, or a model. */
export type GroupKey = string | number;

interface Statement {
  sql: string;
  values: GroupKey[];
}

/** By what a report is grouped. */
export interface GroupingColumn {
  column: 'day' | 'user_id' | 'agent_id' | 'model';
  /** By key, or else by tokens, most first, where the key decides between equals. */
  order: 'key' | 'tokens';
}

/** What a report asks the database: groups by their `group_key`, with their sums. */
export class UsageReportStatements {
  private readonly column: string;
  private readonly order: string;

  /** @param userId only this user's usage, if given */
  constructor(
    { column, order }: GroupingColumn,
    private readonly sources: UsageSource[],
    private readonly userId?: number,
  ) {
    this.column = column;
    this.order = order === 'key' ? 'group_key' : 'SUM(tokens) DESC, group_key';
  }

  /** A part of the groups; each row has in `group_count` how many there are in all, which costs next to nothing here. */
  page(offset: number, limit: number): Statement {
    const { sql, values } = this.rows([this.column, ...SUM_COLUMNS]);
    return {
      sql: `SELECT ${this.column} AS group_key, ${SUMS}, COUNT(*) OVER () AS group_count FROM (${sql}) AS sources
        GROUP BY ${this.column} ORDER BY ${this.order} LIMIT ? OFFSET ?`,
      values: [...values, limit, offset],
    };
  }

  /** How many groups there are, as `group_count`. */
  count(): Statement {
    const { sql, values } = this.rows([this.column]);
    return { sql: `SELECT COUNT(DISTINCT ${this.column}) AS group_count FROM (${sql}) AS sources`, values };
  }

  /** The keys of all groups, in order. */
  keys(): Statement {
    const { sql, values } = this.rows([this.column, 'tokens']);
    return {
      sql: `SELECT ${this.column} AS group_key FROM (${sql}) AS sources GROUP BY ${this.column} ORDER BY ${this.order}`,
      values,
    };
  }

  /** The groups of these keys, in any order. */
  groups(keys: GroupKey[]): Statement {
    const { sql, values } = this.rows([this.column, ...SUM_COLUMNS], keys);
    return {
      sql: `SELECT ${this.column} AS group_key, ${SUMS} FROM (${sql}) AS sources GROUP BY ${this.column}`,
      values,
    };
  }

  /** The sums of everything, in one row. */
  total(): Statement {
    const { sql, values } = this.rows([...SUM_COLUMNS]);
    return { sql: `SELECT ${SUMS} FROM (${sql}) AS sources`, values };
  }

  /** All rows of the sources, or those of some groups. */
  private rows(columns: string[], keys?: GroupKey[]): Statement {
    const values: GroupKey[] = [];
    const selections = this.sources.map(({ table, column, from, to }) => {
      const conditions: string[] = [];
      if (keys && column === 'month') {
        // Named one by one, months and keys are looked up in the primary key; a range of months would be read whole.
        const months = Array.from({ length: to - from + 1 }, (_, index) => from + index);
        conditions.push(`${column} IN (${months.map(() => '?').join(', ')})`);
        values.push(...months);
      } else {
        conditions.push(`${column} BETWEEN ? AND ?`);
        values.push(from, to);
      }
      if (this.userId !== undefined) {
        conditions.push('user_id = ?');
        values.push(this.userId);
      }
      if (keys) {
        conditions.push(`${this.column} IN (${keys.map(() => '?').join(', ')})`);
        values.push(...keys);
      }
      return `SELECT ${columns.join(', ')} FROM ${table} WHERE ${conditions.join(' AND ')}`;
    });
    return { sql: selections.join(' UNION ALL '), values };
  }
}
