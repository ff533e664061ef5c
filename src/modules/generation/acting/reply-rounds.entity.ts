import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { Tier } from '../../../common/security/principal';
import { JsonColumn, TimestampColumn } from '../../../database/columns';
import type { RemoteServer } from '../../tool/tool.api';
import type { Knowledge } from '../reply/generation-task';
import type { PolicyOverrides } from '../reply/policy-overrides';

/** What an instance needs to continue a reply in addition to the message. */
export interface StoredTask extends PolicyOverrides {
  /** MCP servers that the request named by URL, without their credentials. Absent: none. */
  remote?: readonly RemoteServer[];
  /** Absent: none. */
  knowledge?: Knowledge;
  language: string | null;
  /** The tier at the time of the request. Only instances of earlier versions read it. */
  tier: Tier;
  tokensPerDay: number | null;
}

/**
 * A reply that has called tools. Every change of its rounds locks this row. The instance with the current `epoch` has
 * the reply.
 */
@Entity('tool_runs')
@Index('uq_tool_runs_message_id', ['messageId'], { unique: true })
@Index('ix_tool_runs_user_id', ['userId'])
export class ReplyRoundsEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** The reply. */
  @Column({ name: 'message_id', type: 'int' })
  messageId: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  /** Incremented when an instance takes over the reply. An instance with an earlier epoch must not write any more. */
  @Column({ type: 'int' })
  epoch: number;

  /** Number of rounds whose calls are stored. */
  @Column({ type: 'int' })
  round: number;

  /** Number of calls of the reply, including those that a crash cut off before they were stored. */
  @Column({ type: 'int' })
  calls: number;

  /** Number of steps of the reply in these rounds. */
  @Column({ name: 'told', type: 'int' })
  stepCount: number;

  /** The cost of the rounds, as a decimal. Null: unknown. */
  @Column({ type: 'varchar', length: 32, nullable: true })
  cost: string | null;

  /** When the next round was requested from the model. Null: not requested, or everything it returned is stored. */
  @TimestampColumn({ name: 'asked_at', nullable: true })
  askedAt: Date | null;

  @JsonColumn()
  task: StoredTask;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;
}
