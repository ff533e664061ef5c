import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { Language } from '../../common/i18n/language';
import { LongTextColumn, TimestampColumn } from '../../database/columns';

/** A mail on its way out. The row goes once the mail is sent, or when it has expired. */
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

  /** The values of the mail as JSON, encrypted with `MailCipher`: one-time codes are never kept readable. */
  @LongTextColumn()
  payload: string;

  /** Part of the Message-ID, the same at every attempt. */
  @Column({ name: 'message_id', type: 'varchar', length: 36 })
  messageId: string;

  /** A newer mail with the same key replaces one that still waits. */
  @Index('ix_queued_mails_dedupe_key')
  @Column({ name: 'dedupe_key', type: 'varchar', length: 191, nullable: true })
  dedupeKey: string | null;

  /** Attempts begun. */
  @Column({ type: 'int', default: 0 })
  attempts: number;

  /** When the next attempt may begin; while one is under way, when its claim lapses. */
  @Index('ix_queued_mails_due_at')
  @TimestampColumn({ name: 'due_at' })
  dueAt: Date;

  /** Names the claim of the worker that is sending the mail. */
  @Column({ name: 'claim_token', type: 'varchar', length: 36, nullable: true })
  claimToken: string | null;

  /** From then on the mail is useless, and is dropped without being sent. */
  @TimestampColumn({ name: 'expires_at' })
  expiresAt: Date;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
