import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';

/**
 * One action of an administrator, or an action of a user that administrators must know about, such as on API keys. Rows
 * are never deleted. The erasure of an account removes personal data but keeps the action.
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

  /** Id of the actor. The name is not stored, so that it disappears with the account. */
  @Column({ name: 'actor_id', type: 'int' })
  actorId: number;

  /** The API key of the request. Null if none was used. */
  @Column({ name: 'api_key_id', type: 'int', nullable: true })
  apiKeyId: number | null;

  /** The client's IP address. */
  @Column({ type: 'varchar', length: 45 })
  address: string;

  @Column({ name: 'user_agent', type: 'varchar', length: 512, nullable: true })
  userAgent: string | null;

  @Column({ name: 'request_id', type: 'varchar', length: 64 })
  requestId: string;

  /** `<subject>.<verb>`, such as `user.ban`. If the action has no name, the method and route. */
  @Column({ type: 'varchar', length: 128 })
  action: string;

  @Column({ name: 'target_type', type: 'varchar', length: 32 })
  targetType: string;

  /** An id or name. Null if the action has no single target. */
  @Column({ name: 'target_id', type: 'varchar', length: 64, nullable: true })
  targetId: string | null;

  /**
   * The owner of the account, conversation or webhook. The erasure of the owner's account removes personal data from
   * the entry.
   */
  @Column({ name: 'subject_id', type: 'int', nullable: true })
  subjectId: number | null;

  /** The changed fields before the change. Null for a new object. */
  @JsonColumn({ name: 'state_before', nullable: true })
  before: Record<string, unknown> | null;

  /** The changed fields after the change. Null for a deleted object. */
  @JsonColumn({ name: 'state_after', nullable: true })
  after: Record<string, unknown> | null;

  /** The reason, in the administrator's words. */
  @Column({ type: 'varchar', length: 500, nullable: true })
  reason: string | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
