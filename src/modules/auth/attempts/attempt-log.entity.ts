import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';

/**
 * Times of recent attempts by or for a subject. Each subject has one row, whose lock serializes concurrent attempts.
 */
@Entity('attempt_logs')
@Index('uq_attempt_logs_subject', ['subject'], { unique: true })
@Index('ix_attempt_logs_expires_at', ['expiresAt'])
export class AttemptLogEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** `<what is counted>:<HMAC-SHA-256 of the subject>`, so that no addresses are stored. */
  @Column({ type: 'varchar', length: 100 })
  subject: string;

  /** Unix milliseconds, ascending. Contains no more times than the rule needs. */
  @JsonColumn()
  times: number[];

  /** The row can be deleted after this time. */
  @TimestampColumn({ name: 'expires_at' })
  expiresAt: Date;
}
