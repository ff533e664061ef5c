import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../common/clock';
import type { UserType } from '../../../../common/security/principal';
import { IdentityStore } from '../../identities/identity.store';
import { IdentityMapping } from '../../mapping/identity-mapping';
import type { IdentityProviderEntity } from '../../providers/identity-provider.entity';
import { IdentityProviderStore } from '../../providers/identity-provider.store';

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

/** For sessions that start with an earlier sign-in, such as those of command-line programs. */
@Injectable()
export class SessionEnds {
  constructor(
    private readonly identities: IdentityStore,
    private readonly providers: IdentityProviderStore,
    private readonly mapping: IdentityMapping,
    private readonly clock: Clock,
  ) {}

  /** When a session of this identity that starts now ends. Null if the identity or its provider was removed. */
  async ofIdentity(identityId: number): Promise<Date | null> {
    const identity = await this.identities.find(identityId);
    const provider = identity && (await this.providers.find(identity.providerId));
    if (!identity || !provider) {
      return null;
    }
    const mapped = (await this.mapping.mappedOf([identity.userId])).get(identity.userId);
    return sessionEnd(provider, mapped?.mappedUserType ?? null, this.clock.now());
  }
}
