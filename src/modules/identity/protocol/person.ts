import { createHash } from 'node:crypto';
import { isPlainEmail, normalizeEmail } from '../../user/user.api';
import type { IdentityProviderEntity, LastClaims } from '../providers/identity-provider.entity';
import type { Claims, DeliveredClaims } from './provider-client';

const LONGEST_VALUE = 255;

/** Servers refuse longer addresses, in characters. Without the hint, a provider may ask whether to log out. */
const LONGEST_HINT = 6_000;

/** Groups beyond this number, or longer than a value may be, are not read. */
const MOST_GROUPS = 5_000;

/** Who a provider says somebody is, as far as its settings let it say. */
export interface Person {
  /** Who says it; absent where the version before has read it. */
  issuer?: string;
  subject: string;
  /** The provider's own session, as `providerSessionOf` answers it. */
  providerSession: string | null;
  /** Normalized; null: the provider told no address. */
  email: string | null;
  /** Whether the provider has verified the address, or is trusted to. */
  isEmailProved: boolean;
  name: string | null;
  /** Null: the provider left them out, because there are too many. */
  groups: string[] | null;
  /** What SCIM would call the person; null: the claim is missing. */
  externalId: string | null;
  /** What the provider signed; null: nobody here has a use for it. */
  idToken: IdToken | null;
  /** The ID token for the provider's logout; null: it is not needed. Absent where the version before has read it. */
  logoutHint?: string | null;
}

/** An ID token that is kept, to be exchanged later. */
export interface IdToken {
  signed: string;
  /** Unix seconds. */
  exp: number;
}

/** Reads the claims by the paths of the provider. */
export function readPerson(
  provider: IdentityProviderEntity,
  { subject, signed, idToken, claims }: DeliveredClaims,
  keepsToken: boolean,
): Person {
  const email = emailIn(claims, provider.claims.email);
  const verified = claims.email_verified;
  const isVerified = verified === true || verified === 'true';
  // `email_verified` is about the claim `email` alone: another claim may have what the person wrote there.
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

/** What a session of the provider (`sid`) is kept as: one with a long name under its checksum. Null: the provider does not tell. */
export function providerSessionOf(sid: unknown): string | null {
  const isLong = typeof sid === 'string' && sid.length > LONGEST_VALUE;
  return isLong ? createHash('sha256').update(sid).digest('hex') : shortText(sid);
}

/** What an administrator learns of the claims: their names, and what was found. Nobody's values. */
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

/** A claim by its name, or by a path with dots into it. */
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

/** Above 200 groups Entra puts a reference in the place of the claim (`_claim_names`), or says `hasgroups`. */
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
