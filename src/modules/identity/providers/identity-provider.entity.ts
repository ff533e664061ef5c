import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, LongTextColumn, TimestampColumn } from '../../../database/columns';

/** Where the claims are read from. */
export const CLAIM_SOURCES = ['id_token', 'userinfo'] as const;

/** Whom a first sign-in may make an account for: nobody, addresses of the allowed domains, everybody. */
export const JIT_RULES = ['off', 'domains', 'all'] as const;

/** What happens when the provider did not deliver the groups because there are too many. */
export const OVERAGE_RULES = ['refuse', 'keep_last'] as const;

export const LOGOUT_RULES = ['none', 'rp_initiated'] as const;

/** Claims by their dotted paths. */
export interface ClaimPaths {
  email: string;
  name: string;
  groups: string;
}

/** What people get of whom the claim of groups has the value. */
export interface ProviderMapping {
  /** Compared exactly. */
  value: string;
  user_type?: 'admin';
  membership_type?: 'monthly' | 'yearly';
  /** Id of a group. */
  group?: number;
}

/** Which access tokens of the provider open the OpenAI door. */
export interface AcceptedTokens {
  audience: string;
  authorized_parties: string[];
}

/** What the last sign-in brought: names and kinds, no values of a person. */
export interface LastClaims {
  /** ISO 8601. */
  at: string;
  /** Names of the claims. */
  names: string[];
  /** The claims that were found under the paths of the provider. */
  found: (keyof ClaimPaths)[];
  email_verified: boolean;
  /** How many groups there were; null: the claim is missing, or the provider left it out because of its size. */
  groups: number | null;
  /** Values of mappings that matched. */
  mapped: string[];
}

/** A provider of identities: an OpenID Connect issuer where this service is a client. */
@Entity('identity_providers')
@Index('uq_identity_providers_slug', ['slug'], { unique: true })
@Index('uq_identity_providers_issuer', ['issuer'], { unique: true })
export class IdentityProviderEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** Its name in addresses. Never changed. */
  @Column({ type: 'varchar', length: 32 })
  slug: string;

  /** As people see it. */
  @Column({ type: 'varchar', length: 100 })
  name: string;

  /** Compared exactly. */
  @Column({ type: 'varchar', length: 255 })
  issuer: string;

  @Column({ name: 'client_id', type: 'varchar', length: 255 })
  clientId: string;

  /** Encrypted; null: a public client, without a secret. */
  @LongTextColumn({ name: 'client_secret', nullable: true })
  clientSecret: string | null;

  /** Separated by blanks. */
  @Column({ type: 'varchar', length: 500 })
  scopes: string;

  @JsonColumn()
  claims: ClaimPaths;

  @Column({ name: 'claim_source', type: 'varchar', length: 16 })
  claimSource: (typeof CLAIM_SOURCES)[number];

  /** Whether addresses count as verified where the provider says nothing of it, and link accounts. */
  @Column({ name: 'email_trusted', type: 'boolean' })
  emailTrusted: boolean;

  @Column({ type: 'varchar', length: 16 })
  jit: (typeof JIT_RULES)[number];

  /** Lower-cased. */
  @JsonColumn({ name: 'allowed_domains' })
  allowedDomains: string[];

  /** One of them suffices; none are needed if the list is empty. */
  @JsonColumn({ name: 'required_groups' })
  requiredGroups: string[];

  @JsonColumn()
  mappings: ProviderMapping[];

  @Column({ name: 'groups_overage', type: 'varchar', length: 16 })
  groupsOverage: (typeof OVERAGE_RULES)[number];

  @Column({ type: 'varchar', length: 16 })
  logout: (typeof LOGOUT_RULES)[number];

  /** The claim, by its dotted path, that SCIM calls `externalId`. */
  @Column({ name: 'scim_match', type: 'varchar', length: 255 })
  scimMatch: string;

  /** Seconds; null: the default. */
  @Column({ name: 'session_max_age', type: 'int', nullable: true })
  sessionMaxAge: number | null;

  /** Days after the last sign-in, after which API keys stop; null: never. */
  @Column({ name: 'key_days', type: 'int', nullable: true })
  keyDays: number | null;

  /** Null: no access token of the provider opens anything. */
  @JsonColumn({ name: 'accept_tokens', nullable: true })
  acceptTokens: AcceptedTokens | null;

  @Column({ name: 'is_active', type: 'boolean' })
  isActive: boolean;

  /** Whether `OIDC_*` made it. */
  @Column({ name: 'is_from_environment', type: 'boolean' })
  isFromEnvironment: boolean;

  @JsonColumn({ name: 'last_claims', nullable: true })
  lastClaims: LastClaims | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;
}
