import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, LongTextColumn, TimestampColumn } from '../../../database/columns';

/** Source of the claims. */
export const CLAIM_SOURCES = ['id_token', 'userinfo'] as const;

/** Whether a first sign-in creates an account: never, for addresses of the allowed domains, or always. */
export const JIT_RULES = ['off', 'domains', 'all'] as const;

/** Handling of a sign-in without groups, which the provider omits if there are too many. */
export const OVERAGE_RULES = ['refuse', 'keep_last'] as const;

export const LOGOUT_RULES = ['none', 'rp_initiated'] as const;

/** Names of the claims, or dotted paths to them. */
export interface ClaimPaths {
  email: string;
  name: string;
  groups: string;
}

/** The rights of users whose groups claim contains the value. */
export interface ProviderMapping {
  /** Compared exactly. */
  value: string;
  user_type?: 'admin';
  membership_type?: 'monthly' | 'yearly';
  /** Id of a group. */
  group?: number;
}

/** The provider's access tokens that the OpenAI-compatible API accepts. */
export interface AcceptedTokens {
  audience: string;
  authorized_parties: string[];
}

/** A summary of the last sign-in's claims. It contains no personal values. */
export interface LastClaims {
  /** ISO 8601. */
  at: string;
  /** Names of the claims. */
  names: string[];
  /** Claims that were found at the configured paths. */
  found: (keyof ClaimPaths)[];
  email_verified: boolean;
  /** Number of groups. Null if the claim is missing, or if the provider omitted it because of its size. */
  groups: number | null;
  /** Mapping values that matched. */
  mapped: string[];
}

/** An identity provider: an OpenID Connect issuer of which this service is a client. */
@Entity('identity_providers')
@Index('uq_identity_providers_slug', ['slug'], { unique: true })
@Index('uq_identity_providers_issuer', ['issuer'], { unique: true })
export class IdentityProviderEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** Identifies the provider in URLs. Immutable. */
  @Column({ type: 'varchar', length: 32 })
  slug: string;

  /** Display name. */
  @Column({ type: 'varchar', length: 100 })
  name: string;

  /** Compared exactly. */
  @Column({ type: 'varchar', length: 255 })
  issuer: string;

  @Column({ name: 'client_id', type: 'varchar', length: 255 })
  clientId: string;

  /** Encrypted. Null for a public client. */
  @LongTextColumn({ name: 'client_secret', nullable: true })
  clientSecret: string | null;

  /** Separated by spaces. */
  @Column({ type: 'varchar', length: 500 })
  scopes: string;

  @JsonColumn()
  claims: ClaimPaths;

  @Column({ name: 'claim_source', type: 'varchar', length: 16 })
  claimSource: (typeof CLAIM_SOURCES)[number];

  /** Whether addresses count as verified if the provider sends no `email_verified`, and may link accounts. */
  @Column({ name: 'email_trusted', type: 'boolean' })
  emailTrusted: boolean;

  @Column({ type: 'varchar', length: 16 })
  jit: (typeof JIT_RULES)[number];

  /** Lowercase. */
  @JsonColumn({ name: 'allowed_domains' })
  allowedDomains: string[];

  /** A user needs one of these groups. If the list is empty, no group is required. */
  @JsonColumn({ name: 'required_groups' })
  requiredGroups: string[];

  @JsonColumn()
  mappings: ProviderMapping[];

  @Column({ name: 'groups_overage', type: 'varchar', length: 16 })
  groupsOverage: (typeof OVERAGE_RULES)[number];

  @Column({ type: 'varchar', length: 16 })
  logout: (typeof LOGOUT_RULES)[number];

  /** Dotted path of the claim that matches `externalId` in SCIM. */
  @Column({ name: 'scim_match', type: 'varchar', length: 255 })
  scimMatch: string;

  /** In seconds. Null for the default. */
  @Column({ name: 'session_max_age', type: 'int', nullable: true })
  sessionMaxAge: number | null;

  /** API keys expire this many days after the last sign-in. Null if they do not expire. */
  @Column({ name: 'key_days', type: 'int', nullable: true })
  keyDays: number | null;

  /** Null if no access token of the provider is accepted. */
  @JsonColumn({ name: 'accept_tokens', nullable: true })
  acceptTokens: AcceptedTokens | null;

  @Column({ name: 'is_active', type: 'boolean' })
  isActive: boolean;

  /** Whether the `OIDC_*` variables define the provider. */
  @Column({ name: 'is_from_environment', type: 'boolean' })
  isFromEnvironment: boolean;

  @JsonColumn({ name: 'last_claims', nullable: true })
  lastClaims: LastClaims | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;
}
