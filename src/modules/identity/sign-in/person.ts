import { createHash } from 'node:crypto';
import { isPlainEmail, normalizeEmail } from '../../user/user.api';
import type { Claims, DeliveredClaims } from '../protocol/provider-client';
import type { IdentityProviderEntity, LastClaims } from '../providers/identity-provider.entity';

const LONGEST_VALUE = 255;

/**
 * In characters. Servers refuse longer addresses. Without the hint, a provider may ask the user to confirm the logout.
 */
const LONGEST_HINT = 6_000;

/** Further groups are ignored, as are groups that are longer than a value may be. */
const MOST_GROUPS = 5_000;

/** A user as the provider describes them, limited to what the provider's settings allow. */
export interface Person {
  /** Issuer of the claims. Absent in rows that the previous version wrote. */
  issuer?: string;
  subject: string;
  /** Id of the provider's session, as `providerSessionOf` returns it. */
  providerSession: string | null;
  /** Normalized. Null if the provider sent no address. */
  email: string | null;
  /** Whether the provider has verified the address, or its addresses are trusted. */
  isEmailProved: boolean;
  name: string | null;
  /** Null if the provider omitted the groups because there are too many. */
  groups: string[] | null;
  /** The user's `externalId` in SCIM. Null if the claim is missing. */
  externalId: string | null;
  /** The signed ID token. Null if no module needs it. */
  idToken: IdToken | null;
  /**
   * The ID token for the provider's logout. Null if it is not needed. Absent in rows that the previous version wrote.
   */
  logoutHint?: string | null;
}

/** An ID token that is kept for a later exchange. */
export interface IdToken {
  signed: string;
  /** Unix seconds. */
  exp: number;
}

/** Reads the claims at the provider's configured paths. */
export function readPerson(
  provider: IdentityProviderEntity,
  { subject, signed, idToken, claims }: DeliveredClaims,
  keepsToken: boolean,
): Person {
  const email = emailIn(claims, provider.claims.email);
  const verified = claims.email_verified;
  const isVerified = verified === true || verified === 'true';
  // `email_verified` applies only to the claim `email`. Another claim may contain text that the user chose.
  const isAbout = provider.claims.email === 'email';
  const isEmailProved = verified === undefined || (isVerified && !isAbout) ? provider.emailTrusted : isVerified;
  const all = { ...claims, sub: subject };
  return {
    issuer: provider.issuer,
    subject,
    providerSession: providerSessionOf(idToken.sid),
    email,
    isEmailProved: email !== null && isEmailProved,
    name: shortText(claimAt(claims, provider.claims.name)),
    groups: areLeftOut(claims, provider.claims.groups) ? null : groupsIn(claims, provider.claims.groups),
    externalId: shortText(claimAt(all, provider.scimMatch)),
    logoutHint: provider.logout === 'rp_initiated' && signed.length <= LONGEST_HINT ? signed : null,
    idToken: keepsToken && typeof idToken.exp === 'number' ? { signed, exp: idToken.exp } : null,
  };
}

/**
 * The stored form of a provider session (`sid`). Long ids are stored as a checksum. Null if the provider sends none.
 */
export function providerSessionOf(sid: unknown): string | null {
  const isLong = typeof sid === 'string' && sid.length > LONGEST_VALUE;
  return isLong ? createHash('sha256').update(sid).digest('hex') : shortText(sid);
}

/** A summary of the claims for administrators: names and counts, but no personal values. */
export function describeClaims(
  provider: IdentityProviderEntity,
  { claims }: DeliveredClaims,
  person: Person,
  now: Date,
): LastClaims {
  const paths = provider.claims;
  const found = (['email', 'name', 'groups'] as const).filter((name) => claimAt(claims, paths[name]) !== undefined);
  const groups = new Set(person.groups ?? []);
  return {
    at: now.toISOString(),
    names: Object.keys(claims).slice(0, 100),
    found,
    email_verified: person.isEmailProved,
    groups: person.groups?.length ?? null,
    mapped: [...new Set(provider.mappings.map(({ value }) => value))].filter((value) => groups.has(value)),
  };
}

/** A claim by its name or by a dotted path. */
function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) {
    return claims[path];
  }
  let value: unknown = claims;
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) {
      return undefined;
    }
    value = (value as Claims)[part];
  }
  return value;
}

/** Above 200 groups, Entra replaces the claim by a reference (`_claim_names`) or sends `hasgroups`. */
function areLeftOut(claims: Claims, path: string): boolean {
  const references = claims._claim_names;
  const name = path.split('.')[0] ?? path;
  const isReferred =
    typeof references === 'object' &&
    references !== null &&
    (Object.hasOwn(references, path) || Object.hasOwn(references, name));
  return (
    (isReferred || claims.hasgroups === true || claims.hasgroups === 'true') && claimAt(claims, path) === undefined
  );
}

function groupsIn(claims: Claims, path: string): string[] {
  const value = claimAt(claims, path);
  const values: unknown[] = Array.isArray(value) ? value : [value];
  const texts = values.filter((each): each is string => typeof each === 'string' && each.length <= LONGEST_VALUE);
  return [...new Set(texts)].slice(0, MOST_GROUPS);
}

function emailIn(claims: Claims, path: string): string | null {
  const value = claimAt(claims, path);
  const email = typeof value === 'string' ? normalizeEmail(value) : null;
  return isPlainEmail(email) ? email : null;
}

function shortText(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_VALUE ? value : null;
}
