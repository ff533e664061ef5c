import { Injectable } from '@nestjs/common';
import { Database } from '../../../../database/database';
import { readRows } from '../../../../database/statements/long-reads';

/** Call counts and durations of one tool. */
export interface ToolNumbers {
  /** The name that models used. */
  tool: string;
  /** Number of replies that called the tool. */
  runs: number;
  calls: number;
  succeeded: number;
  failed: number;
  /** Denied by a person or a policy, expired, or cancelled. */
  refused: number;
  unknown: number;
  /** Duration in milliseconds of the calls that were made. Null: none was made. */
  averageMs: number | null;
  longestMs: number | null;
}

/** A limit is needed because models also call tools that do not exist. */
const MOST_TOOLS = 200;

const count = (...states: string[]): string =>
  `SUM(CASE WHEN state IN (${states.map((state) => `'${state}'`).join(', ')}) THEN 1 ELSE 0 END)`;

const NUMBERS = [
  'COUNT(DISTINCT message_id)',
  'COUNT(*)',
  count('succeeded'),
  count('failed'),
  count('denied', 'expired', 'cancelled'),
  count('unknown'),
  'AVG(duration_ms)',
  'MAX(duration_ms)',
].join(', ');

/** Aggregates tool calls per tool. */
@Injectable()
export class ToolStatistics {
  constructor(private readonly database: Database) {}

  /**
   * The calls that were proposed from `from` to `to` (UTC days, `YYYY-MM-DD`, inclusive). Most called first, at most
   * 200 tools.
   */
  async of({ from, to }: { from: string; to: string }): Promise<ToolNumbers[]> {
    const rows = await readRows(
      this.database,
      `SELECT name, ${NUMBERS} FROM tool_calls WHERE created_at BETWEEN ? AND ?
       GROUP BY name ORDER BY COUNT(*) DESC, name LIMIT ${MOST_TOOLS}`,
      [`${from} 00:00:00.000`, `${to} 23:59:59.999`],
    );
    return rows.map(toNumbers);
  }
}

/** Drivers return sums and averages as text. */
function toNumbers([tool, runs, calls, succeeded, failed, refused, unknown, average, longest]: unknown[]): ToolNumbers {
  return {
    tool: String(tool),
    runs: Number(runs),
    calls: Number(calls),
    succeeded: Number(succeeded),
    failed: Number(failed),
    refused: Number(refused),
    unknown: Number(unknown),
    averageMs: average === null ? null : Math.round(Number(average)),
    longestMs: longest === null ? null : Number(longest),
  };
}
