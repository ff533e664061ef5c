import { Column, Entity, PrimaryColumn } from 'typeorm';
import { BigIntegerColumn, TimestampColumn } from '../../../database/columns';
import type { MembershipType } from '../../user/user.api';

/** A plan as other modules see it: they can read it, but not change it. */
export type Plan = Readonly<PlanEntity>;

/** What a membership allows. Administrators change it at run time. */
@Entity('plans')
export class PlanEntity {
  @PrimaryColumn({ name: 'membership_type', type: 'varchar', length: 16 })
  membershipType: MembershipType;

  /** Messages the user may send each UTC day; null: any number. */
  @Column({ name: 'messages_per_day', type: 'int', nullable: true })
  messagesPerDay: number | null;

  /** Tokens of the replies each UTC day, prompts included; null: any number. */
  @BigIntegerColumn({ name: 'tokens_per_day', nullable: true })
  tokensPerDay: number | null;

  /** Bytes of files and items that the user may keep; null: any number. -1: not set yet, see `PlanService`. */
  @BigIntegerColumn({ name: 'storage_bytes', nullable: true, default: -1 })
  storageBytes: number | null;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;
}
