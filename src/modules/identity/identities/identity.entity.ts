import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';

/** The rights that the provider's mappings currently grant to an identity. */
export interface GivenByMapping {
  user_type?: 'admin';
  membership_type?: 'monthly' | 'yearly';
  /** Ids of groups. */
  groups: number[];
}

/** A person at a provider, and the linked account. */
@Entity('identities')
@Index('uq_identities_issuer_subject', ['issuer', 'subject'], { unique: true })
@Index('uq_identities_provider_external', ['providerId', 'externalId'], { unique: true })
@Index('ix_identities_user_id', ['userId'])
export class IdentityEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'provider_id', type: 'int' })
  providerId: number;

  @Column({ type: 'varchar', length: 255 })
  issuer: string;

  /** Null if SCIM created the identity and the person has never signed in. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  subject: string | null;

  /** The person's `externalId` in SCIM, which is also the value of the claim `scim_match`. Null if neither was sent. */
  @Column({ name: 'external_id', type: 'varchar', length: 255, nullable: true })
  externalId: string | null;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** The last address that the provider sent, verified or not. */
  @Column({ type: 'varchar', length: 254, nullable: true })
  email: string | null;

  /** The last groups that the provider sent. Null if it never sent any. */
  @JsonColumn({ name: 'provider_groups', nullable: true })
  providerGroups: string[] | null;

  @JsonColumn({ nullable: true })
  given: GivenByMapping | null;

  @TimestampColumn({ name: 'linked_at' })
  linkedAt: Date;

  @TimestampColumn({ name: 'last_used_at', nullable: true })
  lastUsedAt: Date | null;

  /**
   * When the user unlinked the identity. An unlinked identity opens no account, and only a verification code can link
   * it again.
   */
  @TimestampColumn({ name: 'unlinked_at', nullable: true })
  unlinkedAt: Date | null;
}
