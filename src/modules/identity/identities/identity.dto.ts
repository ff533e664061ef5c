import type { IdentityEntity } from './identity.entity';

/** An identity of a provider that opens the account. */
export class IdentityDto {
  /** For DELETE /user/identities/{id}. @example 3 */
  id: number;

  /** The provider. @example "company" */
  slug: string;

  /** The provider, as its tokens name it. @example "https://login.example.com" */
  issuer: string;

  /** Who the person is there; null: SCIM told of the person, who has not signed in yet. @example "248289761001" */
  subject: string | null;

  /** The address that the provider told last; null: it told none. @example "ada@example.com" */
  email: string | null;

  /** When it was linked. @example "2026-07-31T12:00:00.000Z" */
  linked_at: string;

  /** The last sign-in; null: there was none. @example "2026-07-31T12:30:00.000Z" */
  last_used_at: string | null;
}

/** What a signed-in person gets who links an identity. */
export class LinkedIdentityDto {
  /** The identity that was linked. */
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
