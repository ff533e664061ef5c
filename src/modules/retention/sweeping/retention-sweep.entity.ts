import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';
import type { DeletedCounts, HeldCounts } from './deleted-counts';

export const SWEEP_TRIGGERS = ['schedule', 'manual'] as const;

export type SweepTrigger = (typeof SWEEP_TRIGGERS)[number];

/** `cut`: stopped by a shutdown, a crash or an unavailable database. The next sweep continues. */
export const SWEEP_STATUSES = ['running', 'completed', 'cut', 'failed'] as const;

export type SweepStatus = (typeof SWEEP_STATUSES)[number];

/** One pass over all due data. While it runs, its row is the lease that keeps other instances from sweeping. */
@Entity('retention_sweeps')
@Index('uq_retention_sweeps_slot', ['slot'], { unique: true })
@Index('ix_retention_sweeps_started_at', ['startedAt'])
export class RetentionSweepEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'started_by', type: 'varchar', length: 16 })
  trigger: SweepTrigger;

  @Column({ type: 'varchar', length: 16 })
  status: SweepStatus;

  /** 1 while it runs, so that only one can; then null. */
  @Column({ type: 'int', nullable: true })
  slot: 1 | null;

  /** The administrator who started it; null for the schedule. */
  @Column({ name: 'actor_id', type: 'int', nullable: true })
  actorId: number | null;

  @Column({ name: 'instance_id', type: 'varchar', length: 36 })
  instanceId: string;

  @JsonColumn()
  deleted: DeletedCounts;

  @JsonColumn()
  held: HeldCounts;

  /** The policies in force when it started. */
  @JsonColumn({ name: 'policy_ids' })
  policyIds: readonly number[];

  @TimestampColumn({ name: 'started_at' })
  startedAt: Date;

  /** The last sign of life of its instance. */
  @TimestampColumn({ name: 'seen_at' })
  seenAt: Date;

  @TimestampColumn({ name: 'ended_at', nullable: true })
  endedAt: Date | null;
}
