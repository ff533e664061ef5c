import { Injectable } from '@nestjs/common';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import { formatDay, type UtcDay, utcDay } from '../../../common/utc-day';
import { firstInstantOf } from '../../../common/validation/times';
import { Database } from '../../../database/database';
import { queryRows } from '../../../database/statements/query';
import { AgentService } from '../catalogue/agent.service';
import { ALL_DAYS, NO_LATENCY } from './agent-stat-keys';
import { AgentStatsDto, AgentStatsQueryDto, AgentTotalsDto } from './agent-stats.dto';
import { AgentStatsService } from './agent-stats.service';
import { latencyPercentile } from './latency-histogram';

const TOTALS = ['chats', 'messages', 'tokens', 'likes', 'dislikes', 'errors'] as const;
const SUMS = TOTALS.map((column) => `SUM(${column}) AS ${column}`).join(', ');

/** Drivers return sums as text. */
type SumsRow = Record<(typeof TOTALS)[number], number | string>;
type AgentRow = SumsRow & { agent_id: number };
type BucketRow = SumsRow & { bucket: number; replies: number | string };

/**
 * Reports the statistics of agents. It reads at most one row per day and latency bucket, and work that is not counted
 * yet.
 */
@Injectable()
export class AgentStatsReportService {
  constructor(
    private readonly database: Database,
    private readonly agents: AgentService,
    private readonly stats: AgentStatsService,
  ) {}

  /** The totals of each agent since it was created, in one query. */
  async totalsOf(agentIds: number[]): Promise<(agentId: number) => AgentTotalsDto> {
    if (agentIds.length === 0) {
      return () => toTotals([]);
    }
    const condition = `day = ${ALL_DAYS} AND agent_id IN (${agentIds.map(() => '?').join(', ')})`;
    const { statement, parameters } = this.stats.rows(condition, agentIds, true);
    const rows = await queryRows<AgentRow>(
      this.database.manager,
      `SELECT agent_id, ${SUMS} FROM (${statement}) AS stats GROUP BY agent_id`,
      parameters,
    );
    return (agentId) => toTotals(rows.filter((row) => row.agent_id === agentId));
  }

  async totals(agentId: number): Promise<AgentTotalsDto> {
    return (await this.totalsOf([agentId]))(agentId);
  }

  /**
   * The statistics of the agent on the given days, or in total.
   *
   * @throws AgentNotFoundError
   * @throws InvalidParameterError if from > to
   */
  async report(agentId: number, query: AgentStatsQueryDto): Promise<AgentStatsDto> {
    await this.agents.get(agentId);
    const [from, to] = [dayOf(query.from), dayOf(query.to)];
    if (from !== null && to !== null && from > to) {
      throw new InvalidParameterError([{ field: 'to', reason: 'conflicts' }]);
    }
    const isEver = from === null && to === null;
    // Day 0 has the sums of all days, so no period may include it.
    const first = Math.max(from ?? 0, ALL_DAYS + 1);
    const days = isEver ? [ALL_DAYS, ALL_DAYS] : [first, to ?? Number.MAX_SAFE_INTEGER];
    const condition = 'agent_id = ? AND day BETWEEN ? AND ?';
    const { statement, parameters } = this.stats.rows(condition, [agentId, ...days], isEver);
    const rows = await queryRows<BucketRow>(
      this.database.manager,
      `SELECT bucket, SUM(replies) AS replies, ${SUMS} FROM (${statement}) AS stats GROUP BY bucket`,
      parameters,
    );
    const latencies = new Map(
      rows.filter(({ bucket }) => bucket !== NO_LATENCY).map(({ bucket, replies }) => [bucket, Number(replies)]),
    );
    return {
      from: from === null ? null : formatDay(from),
      to: to === null ? null : formatDay(to),
      ...toTotals(rows),
      p50_first_token_ms: latencyPercentile(latencies, 0.5),
      p95_first_token_ms: latencyPercentile(latencies, 0.95),
    };
  }
}

function dayOf(time: string | undefined): UtcDay | null {
  return time === undefined ? null : utcDay(firstInstantOf(time));
}

/** A withdrawn rating counts as -1 on the day of the withdrawal, so the sum of a single day can be negative. */
function toTotals(rows: SumsRow[]): AgentTotalsDto {
  const sum = (column: (typeof TOTALS)[number]): number =>
    Math.max(
      0,
      rows.reduce((total, row) => total + Number(row[column]), 0),
    );
  return {
    chats: sum('chats'),
    messages: sum('messages'),
    tokens: sum('tokens'),
    likes: sum('likes'),
    dislikes: sum('dislikes'),
    errors: sum('errors'),
  };
}
