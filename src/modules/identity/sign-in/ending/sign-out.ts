import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { CONSOLE_PAGE } from '../../../../common/redirects/return-addresses';
import { LogoutAddresses, type LogoutFinder } from '../../../auth/auth.api';
import { SessionService } from '../../../user/user.api';
import { IdentityAssertions } from '../../assertions/identity-assertions';
import { IdentityStore } from '../../identities/identity.store';
import { ProviderClient } from '../../protocol/provider-client';
import { IdentityProviderStore } from '../../providers/identity-provider.store';
import { ServiceAddress } from '../../service-address';

/** Returns the page that ends the provider's session after a logout here (OpenID Connect RP-Initiated Logout 1.0). */
@Injectable()
export class SignOut implements LogoutFinder {
  constructor(
    private readonly sessions: SessionService,
    private readonly identities: IdentityStore,
    private readonly providers: IdentityProviderStore,
    private readonly client: ProviderClient,
    private readonly address: ServiceAddress,
    private readonly assertions: IdentityAssertions,
    addresses: LogoutAddresses,
  ) {
    addresses.use(this);
  }

  async logoutUrl(userId: number, sessionId: number, request: Request): Promise<string | null> {
    const session = await this.sessions.find(userId, sessionId);
    const identityId = session?.identityId ?? null;
    const identity = identityId === null ? null : await this.identities.find(identityId);
    const provider = identity && (await this.providers.find(identity.providerId));
    return session && provider?.isActive && provider.logout === 'rp_initiated'
      ? this.client.logoutUrl(provider, this.address.page(CONSOLE_PAGE, request), this.assertions.hintOf(session))
      : null;
  }
}
