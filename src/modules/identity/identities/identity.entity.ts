import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';

/** What the mappings of its provider give to an identity now. */
export interface GivenByMapping {
  user_type?: 'admin';
  membership_type?: 'monthly' | 'yearly';
  /** Ids of groups. */
  groups: number[];
}

/** Who somebody is at a provider, and whose account that is here. */
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

  /** Null: SCIM told of the person, who has never signed in. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  subject: string | null;

  /** What SCIM calls the person, and the claim `scim_match` too. Null: neither was told. */
  @Column({ name: 'external_id', type: 'varchar', length: 255, nullable: true })
  externalId: string | null;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** The address that the provider told last, proved or not. */
  @Column({ type: 'varchar', length: 254, nullable: true })
  email: string | null;

  /** The groups that the provider told last; null: it never told any. */
  @JsonColumn({ name: 'provider_groups', nullable: true })
  providerGroups: string[] | null;

  @JsonColumn({ nullable: true })
  given: GivenByMapping | null;

  @TimestampColumn({ name: 'linked_at' })
  linkedAt: Date;

  @TimestampColumn({ name: 'last_used_at', nullable: true })
  lastUsedAt: Date | null;

  /** When its user unlinked it. It opens nothing any more, and is linked again by a code only. */
  @TimestampColumn({ name: 'unlinked_at', nullable: true })
  unlinkedAt: Date | null;
}
