import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { Language } from '../../common/i18n/language';
import { LongTextColumn, TimestampColumn } from '../../database/columns';

/** A mail that waits or is being sent. The row is deleted when the mail is sent or has expired. */
@Entity('queued_mails')
export class QueuedMailEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 40 })
  kind: string;

  @Column({ type: 'varchar', length: 254 })
  recipient: string;

  @Column({ type: 'varchar', length: 16 })
  language: Language;

  /**
   * The values of the mail as JSON, encrypted with `MailCipher`, because one-time codes are never stored in plain text.
   */
  @LongTextColumn()
  payload: string;

  /** Part of the Message-ID, the same at every attempt. */
  @Column({ name: 'message_id', type: 'varchar', length: 36 })
  messageId: string;

  /** A newer mail with the same key replaces one that still waits. */
  @Index('ix_queued_mails_dedupe_key')
  @Column({ name: 'dedupe_key', type: 'varchar', length: 191, nullable: true })
  dedupeKey: string | null;

  /** Number of attempts, including a running one. */
  @Column({ type: 'int', default: 0 })
  attempts: number;

  /** When the next attempt may begin; during an attempt, when its claim ends. */
  @Index('ix_queued_mails_due_at')
  @TimestampColumn({ name: 'due_at' })
  dueAt: Date;

  /** Identifies the claim of the worker that is sending the mail. */
  @Column({ name: 'claim_token', type: 'varchar', length: 36, nullable: true })
  claimToken: string | null;

  /** After this time the mail is useless. It is deleted without being sent. */
  @TimestampColumn({ name: 'expires_at' })
  expiresAt: Date;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
