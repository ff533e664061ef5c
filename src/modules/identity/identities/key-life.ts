import { Injectable } from '@nestjs/common';
import { DAY_MILLISECONDS } from '../../../common/time';
import { PasswordLogin } from '../../auth/auth.api';
import { PrincipalService, UserService } from '../../user/user.api';
import { IdentityProviderStore } from '../providers/identity-provider.store';
import { IdentityStore } from './identity.store';

/** Expires the API keys of people who have left the company, for providers without a SCIM directory that reports it. */
@Injectable()
export class KeyLife {
  constructor(
    private readonly providers: IdentityProviderStore,
    private readonly identities: IdentityStore,
    private readonly users: UserService,
    private readonly passwordLogin: PasswordLogin,
    principals: PrincipalService,
  ) {
    principals.useKeysEnd((userId) => this.endOf(userId));
  }

  /** When the user's API keys expire. Null if the user can sign in by any way that does not expire them. */
  private async endOf(userId: number): Promise<Date | null> {
    const providers = new Map((await this.providers.all()).map((provider) => [provider.id, provider]));
    if (![...providers.values()].some(({ keyDays }) => keyDays !== null)) {
      return null;
    }
    const own = await this.identities.ofUser(userId);
    const active = own.filter(({ providerId }) => providers.get(providerId)?.isActive);
    // Users cannot sign in with a provider that is switched off, but the keys still expire.
    const endTimes = (active.length > 0 ? active : own).map(({ providerId, lastUsedAt, linkedAt }) => {
      const keyDays = providers.get(providerId)?.keyDays ?? null;
      return keyDays === null ? Infinity : (lastUsedAt ?? linkedAt).getTime() + keyDays * DAY_MILLISECONDS;
    });
    const end = Math.max(...endTimes);
    if (!Number.isFinite(end)) {
      return null;
    }
    const hasOtherWay = (await this.passwordLogin.admitted(await this.users.findById(userId))) !== null;
    return hasOtherWay ? null : new Date(end);
  }
}
