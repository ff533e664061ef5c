import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';

/**
 * One action: of an administrator, or of a user on what administrators must know of, such as API keys. Rows are only added. The
 * erasure of an account removes what identifies the person, and keeps the action.
 */
@Entity('audit_logs')
@Index('ix_audit_logs_actor_id', ['actorId'])
@Index('ix_audit_logs_action', ['action'])
@Index('ix_audit_logs_target', ['targetType', 'targetId'])
@Index('ix_audit_logs_target_id', ['targetId'])
@Index('ix_audit_logs_subject_id', ['subjectId'])
@Index('ix_audit_logs_created_at', ['createdAt'])
@Index('ix_audit_logs_api_key_id', ['apiKeyId'])
export class AuditLogEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** Who acted. The name is not kept here, so that it is gone with the account. */
  @Column({ name: 'actor_id', type: 'int' })
  actorId: number;

  /** The API key that was used; null: none. */
  @Column({ name: 'api_key_id', type: 'int', nullable: true })
  apiKeyId: number | null;

  /** The client address. */
  @Column({ type: 'varchar', length: 45 })
  address: string;

  @Column({ name: 'user_agent', type: 'varchar', length: 512, nullable: true })
  userAgent: string | null;

  @Column({ name: 'request_id', type: 'varchar', length: 64 })
  requestId: string;

  /** `<subject>.<verb>`, such as `user.ban`; or the method and route when it has no name. */
  @Column({ type: 'varchar', length: 128 })
  action: string;

  @Column({ name: 'target_type', type: 'varchar', length: 32 })
  targetType: string;

  /** An id or name; null when the action has no single target. */
  @Column({ name: 'target_id', type: 'varchar', length: 64, nullable: true })
  targetId: string | null;

  /** The owner of the account, conversation or webhook. The erasure of the account removes the person from the entry. */
  @Column({ name: 'subject_id', type: 'int', nullable: true })
  subjectId: number | null;

  /** The changed fields before the change; null for a new thing. */
  @JsonColumn({ name: 'state_before', nullable: true })
  before: Record<string, unknown> | null;

  /** The changed fields after the change; null for a deleted thing. */
  @JsonColumn({ name: 'state_after', nullable: true })
  after: Record<string, unknown> | null;

  /** The reason, in the administrator's words. */
  @Column({ type: 'varchar', length: 500, nullable: true })
  reason: string | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
