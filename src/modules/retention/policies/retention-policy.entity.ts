import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';
import type { KeptDays, RetentionKind, RetentionScope } from './retention-kinds';

/** A policy for administrators. Until `effectiveAt`, what was in force before it applies. */
@Entity('retention_policies')
@Index('uq_retention_policies_slot', ['slot'], { unique: true })
export class RetentionPolicyEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 16 })
  scope: RetentionScope;

  /** The group; null: the service. */
  @Column({ name: 'scope_id', type: 'int', nullable: true })
  scopeId: number | null;

  @Column({ type: 'varchar', length: 16 })
  kind: RetentionKind;

  /** `<kind>:<group>`, so that each exists once; null for a deleted policy. */
  @Column({ type: 'varchar', length: 40, nullable: true })
  slot: string | null;

  @Column({ type: 'int', nullable: true })
  days: KeptDays;

  /** From when on `days` applies, or that it was deleted. */
  @TimestampColumn({ name: 'effective_at' })
  effectiveAt: Date;

  /** Whether `formerDays` applies until `effectiveAt`. Otherwise there was no policy before. */
  @Column({ name: 'has_former', type: 'boolean' })
  hasFormer: boolean;

  @Column({ name: 'former_days', type: 'int', nullable: true })
  formerDays: KeptDays;

  @Column({ type: 'varchar', length: 500, nullable: true })
  note: string | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;

  /** When it was deleted. The row stays until that is in force. */
  @TimestampColumn({ name: 'ended_at', nullable: true })
  endedAt: Date | null;
}

/** A user who left a group in the last 24 hours. Its policy still protects the user's data. */
@Entity('retention_leavers')
@Index('ix_retention_leavers_user_id', ['userId', 'groupId', 'leftAt'])
@Index('ix_retention_leavers_left_at', ['leftAt'])
export class RetentionLeaverEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ name: 'group_id', type: 'int' })
  groupId: number;

  @TimestampColumn({ name: 'left_at' })
  leftAt: Date;
}
