import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { utcDay } from '../../../common/utc-day';
import { Database } from '../../../database/database';
import { addToCounters } from '../../../database/row-statements';
import { ALL_DAYS, NO_LATENCY } from './agent-stat-keys';
import { latencyBucket } from './latency-histogram';

/** A user's judgement of a reply; null: none. */
export type Rating = 'like' | 'dislike' | null;

/** A reply that has ended, as the agent's statistics see it. */
export interface AgentReplyRecord {
  agentId: number;
  /** Messages the exchange stored: 2 with the user's, 1 for a repeated reply. */
  messages: number;
  tokens: number;
  failed: boolean;
  /** Milliseconds to the first token; null when there was none. */
  firstTokenMs: number | null;
  at: Date;
}

type Counters = Partial<Record<'chats' | 'messages' | 'tokens' | 'replies' | 'errors' | 'likes' | 'dislikes', number>>;

/** Number of rows over which an agent's counters are spread, on databases with parallel transactions. */
const SHARDS = 8;

/**
 * Counts what agents do, in the transaction of the chat module, which calls `UsageService` too. Each method is one
 * statement, which counts for the day and for all days.
 *
 * This folder knows what agents have done. Start here for counting; `agent-stats-report.service.ts` reads the counters,
 * and `latency-histogram.ts` says how times to the first token are stored.
 */
@Injectable()
export class AgentStatsService {
  private readonly shards: number;

  constructor(database: Database) {
    this.shards = database.isShared ? SHARDS : 1;
  }

  /** A chat with the agent was created. */
  recordChat(manager: EntityManager, agentId: number, at: Date): Promise<void> {
    return this.add(manager, agentId, at, NO_LATENCY, { chats: 1 });
  }

  /** A reply of the agent has ended, in success or not. */
  recordReply(manager: EntityManager, reply: AgentReplyRecord): Promise<void> {
    const { agentId, messages, tokens, failed, firstTokenMs, at } = reply;
    const bucket = firstTokenMs === null ? NO_LATENCY : latencyBucket(firstTokenMs);
    return this.add(manager, agentId, at, bucket, { messages, tokens, replies: 1, errors: failed ? 1 : 0 });
  }

  /** A reply's rating was given, changed or taken back. */
  async recordFeedback(
    manager: EntityManager,
    agentId: number,
    previous: Rating,
    next: Rating,
    at: Date,
  ): Promise<void> {
    const change = (rating: Rating): number => Number(next === rating) - Number(previous === rating);
    if (previous !== next) {
      await this.add(manager, agentId, at, NO_LATENCY, { likes: change('like'), dislikes: change('dislike') });
    }
  }

  private async add(
    manager: EntityManager,
    agentId: number,
    at: Date,
    bucket: number,
    increments: Counters,
  ): Promise<void> {
    const shard = Math.floor(Math.random() * this.shards);
    const row = (day: number): Record<string, number> => ({ agent_id: agentId, day, bucket, shard });
    await addToCounters(manager, 'agent_stats', [row(utcDay(at)), row(ALL_DAYS)], increments);
  }
}
