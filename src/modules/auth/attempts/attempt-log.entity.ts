import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';

/** When something was tried lately by or for somebody. One row each, whose lock puts parallel tries in order. */
@Entity('attempt_logs')
@Index('uq_attempt_logs_subject', ['subject'], { unique: true })
@Index('ix_attempt_logs_expires_at', ['expiresAt'])
export class AttemptLogEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** `<what is counted>:<HMAC-SHA-256 of whom>`, so that no addresses are kept. */
  @Column({ type: 'varchar', length: 100 })
  subject: string;

  /** Unix milliseconds, ascending; no more than the rule needs. */
  @JsonColumn()
  times: number[];

  /** From then on the row says nothing any more. */
  @TimestampColumn({ name: 'expires_at' })
  expiresAt: Date;
}
