import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { NetworkModule } from '../../common/network/network.module';
import { ProviderTokenIdentity } from '../../common/security/provider-token-identity';
import { MailModule } from '../../integrations/mail/mail.module';
import { AuthModule } from '../auth/auth.api';
import { GroupModule } from '../group/group.api';
import { HoldModule } from '../hold/hold.api';
import { UserModule } from '../user/user.api';
import { EnvironmentProvider } from './administration/environment-provider';
import { identityProviderAudit } from './administration/identity-provider.audit';
import {
  AdministratorWays,
  IdentityProviderAdministrationService,
} from './administration/identity-provider-administration.service';
import { IdentityProvidersController } from './administration/identity-providers.controller';
import { ProviderTestService } from './administration/provider-test.service';
import { AssertionCipher, IdentityAssertions } from './assertions/identity-assertions';
import { IdentityEntity } from './identities/identity.entity';
import { IDENTITY_EVENTS } from './identities/identity.events';
import { IdentityStore } from './identities/identity.store';
import { IdentityLinks } from './identities/identity-links';
import { KeyLife } from './identities/key-life';
import { IdentityConfig } from './identity.config';
import { IDENTITY_LINKED, IDENTITY_UNLINKED } from './identity.mails';
import { IdentityPersonalData } from './identity.personal-data';
import { IdentityRetention } from './identity.retention';
import { IdentityMapping } from './mapping/identity-mapping';
import { MappedAccountEntity } from './mapping/mapped-account.entity';
import { OwnIdentitiesController } from './own/own-identities.controller';
import { OwnIdentitiesService } from './own/own-identities.service';
import { DiscoveryDocuments } from './protocol/discovery-documents';
import { ProviderClient } from './protocol/provider-client';
import { ProviderHttp } from './protocol/provider-http';
import { ProviderKeys } from './protocol/provider-keys';
import { SignedTokens } from './protocol/signed-tokens';
import { IdentityProviderEntity } from './providers/identity-provider.entity';
import { IdentityProviderCipher, IdentityProviderStore } from './providers/identity-provider.store';
import { ServiceAddress } from './service-address';
import { AccountDecision } from './sign-in/account-decision';
import { BackChannel } from './sign-in/ending/back-channel';
import { BackChannelController } from './sign-in/ending/back-channel.controller';
import { LogoutTokenEntity } from './sign-in/ending/logout-token.entity';
import { SessionEnds } from './sign-in/ending/session-end';
import { SignOut } from './sign-in/ending/sign-out';
import { OidcController } from './sign-in/oidc.controller';
import { ReturnPages } from './sign-in/return-pages';
import { SignInEntity } from './sign-in/sign-in.entity';
import { SignInCipher, SignInStore } from './sign-in/sign-in.store';
import { SignInCallback } from './sign-in/sign-in-callback';
import { SignInCookie } from './sign-in/sign-in-cookie';
import { SignInCounter } from './sign-in/sign-in-counter';
import { SignInExchange } from './sign-in/sign-in-exchange';
import { SignInLink } from './sign-in/sign-in-link';
import { SignInRenewal } from './sign-in/sign-in-renewal';
import { SignInStart } from './sign-in/sign-in-start';
import { SignInTokens } from './sign-in/sign-in-tokens';
import { SignInWays } from './sign-in/sign-in-ways';
import { ProviderTokens } from './tokens/provider-tokens';

/**
 * Sign-in with identity providers (OpenID Connect). Folders:
 * - `providers`: the providers that administrators configure
 * - `protocol`: requests to providers
 * - `sign-in`: the flow from the button to the tokens (`SignInStart`, `SignInCallback`, `SignInExchange`)
 * - `identities`: which identity is linked to which account
 * - `mapping`: what groups grant
 * - `tokens`: access tokens of providers for the OpenAI-compatible API
 * - `assertions`: exchange of sign-ins for servers that trust the provider
 */
@Feature({
  folder: __dirname,
  groups: { 'Identity providers': 'Providers that users sign in with, for administrators.' },
  events: IDENTITY_EVENTS,
  audits: [identityProviderAudit],
  mails: [IDENTITY_LINKED, IDENTITY_UNLINKED],
  configuration: [IdentityConfig],
  imports: [
    TypeOrmModule.forFeature([
      IdentityProviderEntity,
      IdentityEntity,
      MappedAccountEntity,
      SignInEntity,
      LogoutTokenEntity,
    ]),
    NetworkModule,
    MailModule,
    UserModule,
    AuthModule,
    GroupModule,
    HoldModule,
  ],
  controllers: [OidcController, BackChannelController, OwnIdentitiesController, IdentityProvidersController],
  providers: [
    IdentityProviderCipher,
    IdentityProviderStore,
    AdministratorWays,
    IdentityProviderAdministrationService,
    ProviderTestService,
    ServiceAddress,
    ProviderHttp,
    DiscoveryDocuments,
    ProviderKeys,
    SignedTokens,
    ProviderClient,
    IdentityStore,
    IdentityLinks,
    KeyLife,
    IdentityMapping,
    AssertionCipher,
    IdentityAssertions,
    AccountDecision,
    ReturnPages,
    SignInTokens,
    SignInCipher,
    SignInStore,
    SignInCookie,
    SignInCounter,
    SignInStart,
    SignInRenewal,
    SignInCallback,
    SignInExchange,
    SignInLink,
    SignInWays,
    SessionEnds,
    SignOut,
    BackChannel,
    OwnIdentitiesService,
    EnvironmentProvider,
    IdentityRetention,
    ProviderTokens,
    { provide: ProviderTokenIdentity, useExisting: ProviderTokens },
    IdentityPersonalData,
  ],
  exports: [
    ProviderTokenIdentity,
    ServiceAddress,
    ReturnPages,
    AdministratorWays,
    IdentityProviderStore,
    IdentityStore,
    IdentityLinks,
    IdentityMapping,
    IdentityAssertions,
    SessionEnds,
    SignInRenewal,
    SignInWays,
  ],
})
export class IdentityModule {}
