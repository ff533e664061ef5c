import type { UserType } from '../../../../common/security/principal';
import type { IdentityProviderEntity } from '../../providers/identity-provider.entity';

/** Seconds that a session lives whose provider sets nothing else. */
export const DEFAULT_SESSION_SECONDS = 604_800;

/** Seconds that a session lives at most which a mapping makes an administrator's. */
export const ADMINISTRATOR_SESSION_SECONDS = 86_400;

/**
 * When a session ends that begins now, however often its tokens are exchanged: then the provider is asked again.
 *
 * @param mappedUserType what the account is by mappings of any provider
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
