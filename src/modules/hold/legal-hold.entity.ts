import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../database/columns';

/** What a hold covers: an account, a conversation, or all users who are in a group while the hold lasts. */
export const HOLD_SCOPES = ['user', 'chat', 'group'] as const;

export type HoldScope = (typeof HOLD_SCOPES)[number];

export const HOLD_STATUSES = ['active', 'released', 'expired'] as const;

export type HoldStatus = (typeof HOLD_STATUSES)[number];

/** How much data a hold found. */
export interface HoldCounts {
  users: number;
  chats: number;
  messages: number;
  files: number;
}

/** A legal hold: an order to keep data for an investigation or a lawsuit, whatever would delete it. */
@Entity('legal_holds')
@Index('ix_legal_holds_scope', ['scope', 'scopeId', 'status'])
@Index('ix_legal_holds_status', ['status', 'until'])
export class LegalHoldEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 16 })
  scope: HoldScope;

  @Column({ name: 'scope_id', type: 'int' })
  scopeId: number;

  @Column({ type: 'varchar', length: 200 })
  name: string;

  @Column({ type: 'varchar', length: 2000 })
  reason: string;

  /** Whether the owners of the data are informed. */
  @Column({ type: 'boolean' })
  notify: boolean;

  /** When it ends without a release. Null: it lasts until it is released. */
  @TimestampColumn({ name: 'ends_at', nullable: true })
  until: Date | null;

  @Column({ type: 'varchar', length: 16 })
  status: HoldStatus;

  /** The administrator. */
  @Column({ name: 'created_by', type: 'int' })
  createdBy: number;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  /** The administrator; null while it is active, and if it expired. */
  @Column({ name: 'released_by', type: 'int', nullable: true })
  releasedBy: number | null;

  /** When it was released or expired. */
  @TimestampColumn({ name: 'released_at', nullable: true })
  releasedAt: Date | null;

  @Column({ name: 'release_reason', type: 'varchar', length: 2000, nullable: true })
  releaseReason: string | null;

  /** What it covered when it was created. Null while that is being counted. */
  @JsonColumn({ nullable: true })
  counts: HoldCounts | null;
}

/** A user whom a hold of scope `user` or `group` covers. The row stays when the user leaves the group. */
@Entity('legal_hold_users')
@Index('ix_legal_hold_users_user', ['userId', 'isActive'])
export class LegalHoldUserEntity {
  @PrimaryColumn({ name: 'hold_id', type: 'int' })
  holdId: number;

  @PrimaryColumn({ name: 'user_id', type: 'int' })
  userId: number;

  /** False once the hold has ended. */
  @Column({ name: 'is_active', type: 'boolean' })
  isActive: boolean;

  /** When the hold began to cover the user. */
  @TimestampColumn()
  since: Date;
}

/** The kinds of rows whose copies are kept. */
export type CopyKind = 'collection' | 'directory' | 'entry' | 'identity';

/**
 * Data of a held account whose own row must go, such as the entry of a file in a deleted collection. It is deleted
 * when no active hold covers the user.
 */
@Entity('legal_hold_copies')
@Index('ix_legal_hold_copies_user', ['userId', 'kind'])
export class LegalHoldCopyEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ name: 'chat_id', type: 'int', nullable: true })
  chatId: number | null;

  @Column({ type: 'varchar', length: 32 })
  kind: CopyKind;

  /** As it is exported, without credentials. */
  @JsonColumn()
  data: object;

  /** When the row was deleted. */
  @TimestampColumn({ name: 'deleted_at' })
  deletedAt: Date;
}

/** One row. Transactions that delete data share its lock, and one that creates a hold takes it alone. */
@Entity('legal_hold_lock')
export class LegalHoldLockEntity {
  @PrimaryColumn({ type: 'int' })
  id: number;
}
