import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';

/**
 * When something was attempted lately by or for somebody. Each subject has one row; its lock puts parallel attempts in
 * order.
 */
@Entity('attempt_logs')
@Index('uq_attempt_logs_subject', ['subject'], { unique: true })
@Index('ix_attempt_logs_expires_at', ['expiresAt'])
export class AttemptLogEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** `<what is counted>:<HMAC-SHA-256 of whom>`, so that no addresses are stored. */
  @Column({ type: 'varchar', length: 100 })
  subject: string;

  /** Unix milliseconds, ascending; no more than the rule needs. */
  @JsonColumn()
  times: number[];

  /** After this time the row has no meaning. */
  @TimestampColumn({ name: 'expires_at' })
  expiresAt: Date;
}
