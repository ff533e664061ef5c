import { SUM_COLUMNS, SUMS } from '../sums/usage-totals';
import type { UsageFilter, UsageOrder } from './usage-report';
import type { UsageSource } from './usage-sources';

/** The key of a group in the tables: the number of a day, the id of a user, agent or API key, or a model. */
export type GroupKey = string | number;

/** The column to group by. */
export type GroupColumn = 'day' | 'provider' | 'group_id' | (typeof FILTER_COLUMNS)[keyof UsageFilter];

type SumColumn = (typeof SUM_COLUMNS)[number];

/** The result rows are groups: the key, then `SUM_COLUMNS`, unless the method's comment says otherwise. */
export interface ReportStatement {
  sql: string;
  values: GroupKey[];
}

const FILTER_COLUMNS = {
  userId: 'user_id',
  agentId: 'agent_id',
  model: 'model',
  apiKeyId: 'api_key_id',
} as const satisfies Record<keyof UsageFilter, string>;

/** The columns of an amount. */
const COST_PARTS: SumColumn[] = ['cost_units', 'cost_micros', 'cost_picos'];

/** The columns of a number of requests. */
const REQUEST_PARTS: SumColumn[] = ['priced', 'unpriced'];

/**
 * Sorts by sums of amounts, whose lower parts may exceed one unit of the next higher part. Only multiples are divided,
 * because servers round a quotient to four digits and SQLite truncates it.
 */
const COST_ORDER = [
  'cost_units * 1000000 + cost_micros + (cost_picos - cost_picos % 1000000) / 1000000',
  'cost_picos % 1000000',
];

/** The SQL statements of a report. A row is a group (`group_key`) with its sums. */
export class UsageReportStatements {
  private readonly order: string;
  private readonly orderColumns: SumColumn[];
  private readonly filters: [column: string, value: GroupKey][];

  /** @param order ties are sorted by key, ascending */
  constructor(
    private readonly column: GroupColumn,
    private readonly sources: UsageSource[],
    filter: UsageFilter = {},
    { by, direction }: UsageOrder = standardOrder(column),
  ) {
    const [columns, orders] = orderBy(by);
    this.orderColumns = columns;
    this.order = [...orders.map((order) => `${order} ${direction}`), ...(by === 'key' ? [] : ['group_key'])].join(', ');
    this.filters = (Object.keys(FILTER_COLUMNS) as (keyof UsageFilter)[]).flatMap((field) => {
      const value = filter[field];
      return value === undefined ? [] : [[FILTER_COLUMNS[field], value]];
    });
  }

  /**
   * A page of the groups. The last column of each row is the total number of groups, which costs almost nothing to
   * count here. An outer query sorts them, because MariaDB 10.11 cannot sort by the key where it also counts.
   */
  page(offset: number, limit: number): ReportStatement {
    const { sql, values } = this.grouped(SUM_COLUMNS);
    return {
      sql: `SELECT *, COUNT(*) OVER () AS group_count FROM (${sql}) AS all_groups ORDER BY ${this.order} LIMIT ? OFFSET ?`,
      values: [...values, limit, offset],
    };
  }

  /** The number of groups. */
  count(): ReportStatement {
    const { sql, values } = this.rows([this.column]);
    return { sql: `SELECT COUNT(DISTINCT ${this.column}) AS group_count FROM (${sql}) AS sources`, values };
  }

  /** The keys of all groups, sorted. */
  keys(): ReportStatement {
    const { sql, values } = this.grouped(this.orderColumns);
    return { sql: `SELECT group_key FROM (${sql}) AS all_groups ORDER BY ${this.order}`, values };
  }

  /** The groups of these keys, in any order. */
  groups(keys: GroupKey[]): ReportStatement {
    return this.grouped(SUM_COLUMNS, keys);
  }

  /** The overall sums, in one row. */
  total(): ReportStatement {
    const { sql, values } = this.rows([...SUM_COLUMNS]);
    return { sql: `SELECT ${SUMS} FROM (${sql}) AS sources`, values };
  }

  private grouped(columns: readonly SumColumn[], keys?: GroupKey[]): ReportStatement {
    const { sql, values } = this.rows([this.column, ...columns], keys);
    const selected = [`${this.column} AS group_key`, ...columns.map((column) => `SUM(${column}) AS ${column}`)];
    return { sql: `SELECT ${selected.join(', ')} FROM (${sql}) AS sources GROUP BY ${this.column}`, values };
  }

  /** The filtered rows of all sources, optionally only of some groups. */
  private rows(columns: string[], keys?: GroupKey[]): ReportStatement {
    const values: GroupKey[] = [];
    const namesUsers = [...this.filters.map(([name]) => name), ...(keys ? [this.column] : [])].includes('user_id');
    const selections = this.sources.map(({ table, column, from, to, isKeyedByUser }) => {
      const conditions: string[] = [];
      if (isKeyedByUser && namesUsers) {
        // With a list of months or days, the database looks up each one with the users in the primary key. With a
        // range, it would read all rows of the range.
        const times = Array.from({ length: to - from + 1 }, (_, index) => from + index);
        conditions.push(`${column} IN (${placeholders(times)})`);
        values.push(...times);
      } else {
        conditions.push(`${column} BETWEEN ? AND ?`);
        values.push(from, to);
      }
      if (this.column === 'user_id') {
        // The ledger rows of erased accounts have user 0. Their sums stay with the former id, so recalculated costs
        // leave only a difference here.
        conditions.push('user_id <> 0');
      }
      for (const [name, value] of this.filters) {
        conditions.push(`${name} = ?`);
        values.push(value);
      }
      if (keys) {
        conditions.push(`${this.column} IN (${placeholders(keys)})`);
        values.push(...keys);
      }
      return `SELECT ${columns.join(', ')} FROM ${table} WHERE ${conditions.join(' AND ')}`;
    });
    return { sql: selections.join(' UNION ALL '), values };
  }
}

/** The sums to sort by, and the ORDER BY terms. */
function orderBy(by: UsageOrder['by']): [columns: SumColumn[], orders: string[]] {
  switch (by) {
    case 'key':
      return [[], ['group_key']];
    case 'cost':
      return [COST_PARTS, COST_ORDER];
    case 'requests':
      return [REQUEST_PARTS, [REQUEST_PARTS.join(' + ')]];
    default:
      return [[by], [by]];
  }
}

function standardOrder(column: GroupColumn): UsageOrder {
  return column === 'day' ? { by: 'key', direction: 'ASC' } : { by: 'tokens', direction: 'DESC' };
}

function placeholders(values: unknown[]): string {
  return values.map(() => '?').join(', ');
}
