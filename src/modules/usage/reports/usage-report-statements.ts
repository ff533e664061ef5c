import type { UsageSource } from './usage-sources';
import { SUM_COLUMNS, SUMS } from './usage-totals';

/** The key of a group in the tables: a day's number, the id of a user, agent or API key, or a model. */
export type GroupKey = string | number;

interface Statement {
  sql: string;
  values: GroupKey[];
}

/** How a report is grouped. */
export interface GroupingColumn {
  column: 'day' | 'user_id' | 'agent_id' | 'model' | 'api_key_id';
  /** By key; or by tokens, most first, and by key where the tokens are equal. */
  order: 'key' | 'tokens';
}

/** The SQL statements of a report. A row is a group (`group_key`) with its sums. */
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

  /**
   * A part of the groups. `group_count` of each row is the number of all groups; to count them here costs almost
   * nothing.
   */
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
        // With a list of months, the database looks up months and keys in the primary key. It would read a range of
        // months whole.
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
