import type { IdentityEntity } from './identity.entity';

/** A provider's identity that is linked to the account. */
export class IdentityDto {
  /** For DELETE /user/identities/{id}. @example 3 */
  id: number;

  /** Slug of the provider. @example "company" */
  slug: string;

  /** Issuer of the provider's tokens. @example "https://login.example.com" */
  issuer: string;

  /**
   * The user's subject at the provider. Null if SCIM created the identity and the user has not signed in yet.
   * @example "248289761001"
   */
  subject: string | null;

  /** The last email address that the provider sent. Null if it sent none. @example "ada@example.com" */
  email: string | null;

  /** When the identity was linked. @example "2026-07-31T12:00:00.000Z" */
  linked_at: string;

  /** Time of the last sign-in. Null if there was none. @example "2026-07-31T12:30:00.000Z" */
  last_used_at: string | null;
}

/** Response to a signed-in user who linked an identity. */
export class LinkedIdentityDto {
  /** The linked identity. */
  identity: IdentityDto;
}

export function toIdentityDto(identity: IdentityEntity, slug: string): IdentityDto {
  return {
    id: identity.id,
    slug,
    issuer: identity.issuer,
    subject: identity.subject,
    email: identity.email,
    linked_at: identity.linkedAt.toISOString(),
    last_used_at: identity.lastUsedAt?.toISOString() ?? null,
  };
}
