import { Column, Entity, PrimaryColumn } from 'typeorm';
import { BigIntegerColumn, TimestampColumn } from '../../../database/columns';
import type { MembershipType } from '../../user/user.api';

/** A read-only plan for other modules. */
export type Plan = Readonly<PlanEntity>;

/** The limits of a membership. Administrators change them at run time. */
@Entity('plans')
export class PlanEntity {
  @PrimaryColumn({ name: 'membership_type', type: 'varchar', length: 16 })
  membershipType: MembershipType;

  /** Messages that the user may send per UTC day. Null for no limit. */
  @Column({ name: 'messages_per_day', type: 'int', nullable: true })
  messagesPerDay: number | null;

  /** Tokens of the replies per UTC day, including prompts. Null for no limit. */
  @BigIntegerColumn({ name: 'tokens_per_day', nullable: true })
  tokensPerDay: number | null;

  /** Bytes of files and items that the user may store. Null for no limit. -1 if not set yet, see `PlanService`. */
  @BigIntegerColumn({ name: 'storage_bytes', nullable: true, default: -1 })
  storageBytes: number | null;

  /** Tokens that the user may embed per UTC day. Null for no limit. -1 if not set yet, see `PlanService`. */
  @BigIntegerColumn({ name: 'embedding_tokens', nullable: true, default: -1 })
  embeddingTokens: number | null;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;
}
