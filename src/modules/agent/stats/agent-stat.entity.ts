import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { BigIntegerColumn } from '../../../database/columns';

/**
 * The counters of an agent, split by day and by the time to the first token. The rows of an agent and a day are its
 * latency histogram, and their sums are its counters. Day 0 has the sums of all days.
 */
@Entity('agent_stats')
@Index('ix_agent_stats_day', ['day', 'agentId'])
export class AgentStatEntity {
  @PrimaryColumn({ name: 'agent_id', type: 'int' })
  agentId: number;

  /** UTC day, in days since 1970-01-01; 0 for all days. */
  @PrimaryColumn({ type: 'int' })
  day: number;

  /** Bucket of the latency histogram; -1 for events without a first token: chats, ratings, replies without text. */
  @PrimaryColumn({ type: 'int' })
  bucket: number;

  /**
   * Number of the row among rows with the same meaning. Several rows reduce lock waits between replies of a popular
   * agent.
   */
  @PrimaryColumn({ type: 'int' })
  shard: number;

  @Column({ type: 'int', default: 0 })
  chats: number;

  @Column({ type: 'int', default: 0 })
  messages: number;

  @BigIntegerColumn({ default: 0 })
  tokens: number;

  @Column({ type: 'int', default: 0 })
  replies: number;

  /** Replies that failed. */
  @Column({ type: 'int', default: 0 })
  errors: number;

  @Column({ type: 'int', default: 0 })
  likes: number;

  @Column({ type: 'int', default: 0 })
  dislikes: number;
}
