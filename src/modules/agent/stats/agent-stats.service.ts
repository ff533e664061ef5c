import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { utcDay } from '../../../common/utc-day';
import { addSumsToCounters, addToCounters } from '../../../database/statements/upsert-counters';
import { ALL_DAYS, NO_LATENCY } from './agent-stat-keys';
import { latencyBucket } from './latency-histogram';

/** A user's rating of a reply; null: none. */
export type Rating = 'like' | 'dislike' | null;

/**
 * SQL that selects the work of agents, one row for each chat, message and reply, with the columns `agent_id`, `day`,
 * `first_token_ms` (null if there is none), `chats`, `messages`, `tokens`, `replies` and `failed_replies`.
 */
export type AgentWork = string;

/** The counters of work. */
const COUNTERS = ['chats', 'messages', 'tokens', 'replies', 'errors'];
const SUMS = COUNTERS.map((column) => `SUM(${column}) AS ${column}`).join(', ');

const KEY = ['agent_id', 'day', 'bucket', 'shard'];

/** Earlier releases spread an agent's counters over more rows. */
const SHARD = 0;

/**
 * Counts the work of agents, for the day and for all days. The chat module provides the SQL, because agents do not
 * depend on chats.
 *
 * This folder has the statistics of agents. Start here for counting. `agent-stats-report.service.ts` reads the
 * counters, and `latency-histogram.ts` defines how times to the first token are stored.
 */
@Injectable()
export class AgentStatsService {
  private uncounted: AgentWork | null = null;

  /**
   * Reports include this work in addition to the counters; `count` will be called for it later. Call it in a
   * constructor.
   */
  setUncounted(work: AgentWork): void {
    this.uncounted = work;
  }

  /**
   * A query for the counters, and for uncounted work in the same columns. It is one statement, so that each chat,
   * message and reply counts once.
   *
   * @param condition for `agent_id` and `day`, with `?` for each of the values
   * @param isEver whether it is about the day that represents all days
   */
  rows(condition: string, values: number[], isEver: boolean): { statement: string; parameters: number[] } {
    const columns = 'agent_id, day, bucket, chats, messages, tokens, replies, errors';
    const counted = `SELECT ${columns}, likes, dislikes FROM agent_stats WHERE ${condition}`;
    if (this.uncounted === null) {
      return { statement: counted, parameters: values };
    }
    const work = workByBucket(this.uncounted, isEver ? String(ALL_DAYS) : 'day');
    const uncounted = `SELECT ${columns}, 0 AS likes, 0 AS dislikes FROM (${work}) AS uncounted WHERE ${condition}`;
    return { statement: `${counted} UNION ALL ${uncounted}`, parameters: [...values, ...values] };
  }

  /** Counts work. Call it in the transaction that marks the work as counted. */
  async count(manager: EntityManager, work: AgentWork): Promise<void> {
    const rows = `${workByBucket(work, 'day')} UNION ALL ${workByBucket(work, String(ALL_DAYS))}`;
    const statement = `SELECT agent_id, day, bucket, ${SHARD} AS shard, ${SUMS} FROM (${rows}) AS counted
      GROUP BY agent_id, day, bucket`;
    await addSumsToCounters(manager, 'agent_stats', KEY, COUNTERS, { statement, parameters: [] });
  }

  /** A reply's rating was added, changed or withdrawn. */
  async recordFeedback(
    manager: EntityManager,
    agentId: number,
    previous: Rating,
    next: Rating,
    at: Date,
  ): Promise<void> {
    const change = (rating: Rating): number => Number(next === rating) - Number(previous === rating);
    if (previous !== next) {
      const changes = { likes: change('like'), dislikes: change('dislike') };
      const row = (day: number): Record<string, number> => ({
        agent_id: agentId,
        day,
        bucket: NO_LATENCY,
        shard: SHARD,
      });
      await addToCounters(manager, 'agent_stats', [row(utcDay(at)), row(ALL_DAYS)], changes);
    }
  }
}

/** Work with the columns of the counters. @param day SQL for the day that it counts for */
function workByBucket(work: AgentWork, day: string): string {
  return `SELECT agent_id, ${day} AS day, ${latencyBucket('first_token_ms')} AS bucket,
    chats, messages, tokens, replies, failed_replies AS errors FROM (${work}) AS work`;
}
