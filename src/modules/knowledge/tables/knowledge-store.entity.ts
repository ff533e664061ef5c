import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';

/** What a group may do in a collection. */
export const GROUP_ROLES = ['reader', 'editor'] as const;

export type GroupRole = (typeof GROUP_ROLES)[number];

/** What a user may do in a collection, from least to most. */
export const STORE_ROLES = ['reader', 'editor', 'owner'] as const;

export type StoreRole = (typeof STORE_ROLES)[number];

/** A collection of files that is searched as a whole. OpenAI calls it a vector store. */
@Entity('knowledge_stores')
@Index('ix_knowledge_stores_owner_id', ['ownerId', 'createdAt'])
@Index('ix_knowledge_stores_everyone', ['everyone', 'createdAt'])
@Index('ix_knowledge_stores_chat_id', ['chatId'])
@Index('ix_knowledge_stores_expires_at', ['expiresAt'])
export class KnowledgeStoreEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** Null: the service. */
  @Column({ name: 'owner_id', type: 'int', nullable: true })
  ownerId: number | null;

  /** The conversation whose files it has, for a hidden collection; otherwise null. */
  @Column({ name: 'chat_id', type: 'int', nullable: true })
  chatId: number | null;

  @Column({ type: 'varchar', length: 256 })
  name: string;

  @Column({ type: 'varchar', length: 1000, nullable: true })
  description: string | null;

  /** Texts of a client, by their names. */
  @JsonColumn()
  metadata: Record<string, string>;

  /** `reader`: every user may read it; null: only the owner and its groups. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  everyone: 'reader' | null;

  /** Whether an administrator vouches for the entries: they are no untrusted content. */
  @Column({ type: 'boolean' })
  trusted: boolean;

  /** When it was last searched, or its entries changed; to the minute. */
  @TimestampColumn({ name: 'last_active_at' })
  lastActiveAt: Date;

  /** It expires so many days after `lastActiveAt`; null: never. */
  @Column({ name: 'expires_after_days', type: 'int', nullable: true })
  expiresAfterDays: number | null;

  @TimestampColumn({ name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  /** When its entries were removed because it had expired. */
  @TimestampColumn({ name: 'expired_at', nullable: true })
  expiredAt: Date | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;
}

/** A group that a collection is shared with. */
@Entity('knowledge_store_groups')
@Index('ix_knowledge_store_groups_group_id', ['groupId', 'storeId'])
export class KnowledgeStoreGroupEntity {
  @PrimaryColumn({ name: 'store_id', type: 'int' })
  storeId: number;

  @PrimaryColumn({ name: 'group_id', type: 'int' })
  groupId: number;

  @Column({ type: 'varchar', length: 16 })
  role: GroupRole;
}
