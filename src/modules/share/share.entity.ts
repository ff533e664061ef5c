import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../database/columns';

/** `snapshot`: the conversation at the time of sharing; `live`: including later messages. */
export const SHARE_MODES = ['snapshot', 'live'] as const;

export type ShareMode = (typeof SHARE_MODES)[number];

/** A link with which others read a conversation. A link that has ended stays ended. */
@Entity('chat_shares')
@Index('uq_chat_shares_token_hash', ['tokenHash'], { unique: true })
@Index('ix_chat_shares_chat_id', ['chatId'])
@Index('ix_chat_shares_user_id', ['userId'])
@Index('ix_chat_shares_ended_at', ['endedAt'])
@Index('ix_chat_shares_expires_at', ['expiresAt'])
export class ShareEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  /** The owner of the conversation. */
  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** SHA-256 of the token, in hexadecimal. */
  @Column({ name: 'token_hash', type: 'varchar', length: 64 })
  tokenHash: string;

  @Column({ type: 'varchar', length: 16 })
  mode: ShareMode;

  /** The title at the time of sharing; null for a live link, and for a link that was ended. */
  @Column({ type: 'varchar', length: 200, nullable: true })
  title: string | null;

  /**
   * The newest messages at the time of sharing, in order, and perhaps one that is not shown; null: those of the current
   * line.
   */
  @JsonColumn({ name: 'message_ids', nullable: true })
  messageIds: number[] | null;

  /** Null: no expiry. */
  @TimestampColumn({ name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  /** When it was revoked, or the conversation or its owner was deleted. */
  @TimestampColumn({ name: 'ended_at', nullable: true })
  endedAt: Date | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
