import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';

/**
 * One thing that an administrator did. Rows are only ever added; the erasure of an account takes out what identifies
 * the person, and leaves what was done.
 */
@Entity('audit_logs')
@Index('ix_audit_logs_actor_id', ['actorId'])
@Index('ix_audit_logs_action', ['action'])
@Index('ix_audit_logs_target', ['targetType', 'targetId'])
@Index('ix_audit_logs_target_id', ['targetId'])
@Index('ix_audit_logs_subject_id', ['subjectId'])
@Index('ix_audit_logs_created_at', ['createdAt'])
export class AuditLogEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** The administrator. The name is not kept here, so that it is gone with the account. */
  @Column({ name: 'actor_id', type: 'int' })
  actorId: number;

  /** The administrator's client address. */
  @Column({ type: 'varchar', length: 45 })
  address: string;

  @Column({ name: 'user_agent', type: 'varchar', length: 512, nullable: true })
  userAgent: string | null;

  @Column({ name: 'request_id', type: 'varchar', length: 64 })
  requestId: string;

  /** `<subject>.<verb>`, such as `user.ban`; where no name is known the method and route. */
  @Column({ type: 'varchar', length: 128 })
  action: string;

  @Column({ name: 'target_type', type: 'varchar', length: 32 })
  targetType: string;

  /** An id or name; null when the action has no single target. */
  @Column({ name: 'target_id', type: 'varchar', length: 64, nullable: true })
  targetId: string | null;

  /** The user whose account, conversation or webhook it is; the entry is cleared of the person with the account. */
  @Column({ name: 'subject_id', type: 'int', nullable: true })
  subjectId: number | null;

  /** The changed fields as they were; null for what is new. */
  @JsonColumn({ name: 'state_before', nullable: true })
  before: Record<string, unknown> | null;

  /** The changed fields as they are now; null for what is gone. */
  @JsonColumn({ name: 'state_after', nullable: true })
  after: Record<string, unknown> | null;

  /** Why, in the administrator's words. */
  @Column({ type: 'varchar', length: 500, nullable: true })
  reason: string | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
