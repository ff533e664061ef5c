import { Injectable } from '@nestjs/common';
import type { UtcDay } from '../../../common/utc-day';
import { Database } from '../../../database/database';
import { queryRows } from '../../../database/statements/query';
import { NO_LATENCY } from './agent-stat-keys';
import { AgentStatsService } from './agent-stats.service';
import { type LatencyClass, latencyDistribution, latencyPercentile } from './latency-histogram';

/** The time to the first token on a day: the median and the 95th percentile. */
export interface FirstTokenDay {
  p50: number;
  p95: number;
}

export interface FirstTokens {
  /** Only days with replies that had a first token. */
  days: Map<UtcDay, FirstTokenDay>;
  /** The distribution over all days together. */
  distribution: LatencyClass[];
}

/** Drivers return sums as text, and MySQL also the bucket from a `UNION`. */
interface BucketRow {
  day: number | string;
  bucket: number | string;
  replies: number | string;
}

/**
 * How long users waited for the first token of a reply, over all agents. It reads at most one row for each agent, day
 * and bucket of the histogram.
 */
@Injectable()
export class FirstTokenQuery {
  constructor(
    private readonly database: Database,
    private readonly stats: AgentStatsService,
  ) {}

  /** Both ends are included. */
  async read(from: UtcDay, to: UtcDay): Promise<FirstTokens> {
    const condition = `day BETWEEN ? AND ? AND bucket <> ${NO_LATENCY}`;
    const { statement, parameters } = this.stats.rows(condition, [from, to], false);
    const rows = await queryRows<BucketRow>(
      this.database.manager,
      `SELECT day, bucket, SUM(replies) AS replies FROM (${statement}) AS stats GROUP BY day, bucket`,
      parameters,
    );
    const byDay = new Map<UtcDay, Map<number, number>>();
    const inAll = new Map<number, number>();
    for (const row of rows) {
      const [day, bucket, replies] = [Number(row.day), Number(row.bucket), Number(row.replies)];
      byDay.set(day, (byDay.get(day) ?? new Map<number, number>()).set(bucket, replies));
      inAll.set(bucket, (inAll.get(bucket) ?? 0) + replies);
    }
    return {
      days: new Map([...byDay].flatMap(([day, counts]) => percentilesOf(day, counts))),
      distribution: latencyDistribution(inAll),
    };
  }
}

function percentilesOf(day: UtcDay, counts: Map<number, number>): [UtcDay, FirstTokenDay][] {
  const [p50, p95] = [latencyPercentile(counts, 0.5), latencyPercentile(counts, 0.95)];
  return p50 === null || p95 === null ? [] : [[day, { p50, p95 }]];
}
