import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { Tier } from '../../../common/security/principal';
import { JsonColumn, TimestampColumn } from '../../../database/columns';
import type { RemoteServer } from '../../tool/tool.api';
import type { PolicyOverrides } from './tool-policy';

/** What a run needs to go on, on whatever instance, that its message does not say. */
export interface RunTask extends PolicyOverrides {
  /** Servers that the request named by their addresses, without what it signed in with; absent: none. */
  remote?: readonly RemoteServer[];
  language: string | null;
  /** When it was asked for. Read by instances of earlier versions alone. */
  tier: Tier;
  tokensPerDay: number | null;
}

/** A reply that has called tools. Its row is locked by whoever changes the run, and `epoch` says whose it is. */
@Entity('tool_runs')
@Index('uq_tool_runs_message_id', ['messageId'], { unique: true })
@Index('ix_tool_runs_user_id', ['userId'])
export class ToolRunEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** The reply. */
  @Column({ name: 'message_id', type: 'int' })
  messageId: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  /** Rises when somebody takes the run: who has an earlier one writes nothing more. */
  @Column({ type: 'int' })
  epoch: number;

  /** Rounds whose calls are written down. */
  @Column({ type: 'int' })
  round: number;

  /** Calls of the reply, whether they were written down or a crash has cut them. */
  @Column({ type: 'int' })
  calls: number;

  /** Steps of the reply in these rounds. */
  @Column({ type: 'int' })
  told: number;

  /** What the rounds cost, as a decimal text; null: unknown. */
  @Column({ type: 'varchar', length: 32, nullable: true })
  cost: string | null;

  /** When its model was asked for the round that comes; null: it was not, or all that it said is written down. */
  @TimestampColumn({ name: 'asked_at', nullable: true })
  askedAt: Date | null;

  @JsonColumn()
  task: RunTask;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;
}
