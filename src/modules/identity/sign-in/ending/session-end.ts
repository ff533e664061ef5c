import type { UserType } from '../../../../common/security/principal';
import type { IdentityProviderEntity } from '../../providers/identity-provider.entity';

/** Session lifetime in seconds if the provider does not set one. */
export const DEFAULT_SESSION_SECONDS = 604_800;

/** Longest session lifetime in seconds for administrators by a mapping. */
export const ADMINISTRATOR_SESSION_SECONDS = 86_400;

/**
 * When a session that starts now ends, no matter how often its tokens are refreshed. After that, the user must sign in
 * with the provider again.
 *
 * @param mappedUserType the user type that the account has by mappings of any provider
 */
export function sessionEnd(
  { sessionMaxAge }: Pick<IdentityProviderEntity, 'sessionMaxAge'>,
  mappedUserType: UserType | null,
  now: Date,
): Date {
  const wanted = sessionMaxAge ?? DEFAULT_SESSION_SECONDS;
  const seconds = mappedUserType === 'admin' ? Math.min(wanted, ADMINISTRATOR_SESSION_SECONDS) : wanted;
  return new Date(now.getTime() + seconds * 1_000);
}
