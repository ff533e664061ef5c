import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../database/columns';

/** `snapshot`: the conversation as it stood when it was shared; `live`: as it goes on. */
export const SHARE_MODES = ['snapshot', 'live'] as const;

export type ShareMode = (typeof SHARE_MODES)[number];

/** A link with which others read a conversation. One that has ended never lives again. */
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

  /** Whose conversation it is. */
  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** SHA-256 of the token, in hexadecimal. */
  @Column({ name: 'token_hash', type: 'varchar', length: 64 })
  tokenHash: string;

  @Column({ type: 'varchar', length: 16 })
  mode: ShareMode;

  /** The title as it stood; null: as it is, and of a link that was ended. */
  @Column({ type: 'varchar', length: 200, nullable: true })
  title: string | null;

  /** The newest messages as they stood, in their order, and perhaps one that is not shown; null: those of the current line. */
  @JsonColumn({ name: 'message_ids', nullable: true })
  messageIds: number[] | null;

  /** Null: without an end. */
  @TimestampColumn({ name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  /** When it was taken back, or the conversation or its owner went away. */
  @TimestampColumn({ name: 'ended_at', nullable: true })
  endedAt: Date | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
