/** The public API of this module. */
export { AdministratorWays } from './administration/identity-provider-administration.service';
export { ASSERTED, type AssertedBy, type CompanySignIn, IdentityAssertions } from './assertions/identity-assertions';
export { type Identity, IdentityStore } from './identities/identity.store';
export { IdentityLinks } from './identities/identity-links';
export { IdentityProviderError, IdentityRequiredError, LastLoginMethodError } from './identity.errors';
export { IdentityModule } from './identity.module';
export { IdentityMapping } from './mapping/identity-mapping';
export { ProviderFaultError } from './protocol/provider-fault';
export { type IdentityProvider, IdentityProviderStore } from './providers/identity-provider.store';
export { ServiceAddress } from './service-address';
export { SessionEnds } from './sign-in/ending/session-end';
export { ReturnPages } from './sign-in/return-pages';
export { SignInProvidersDto } from './sign-in/sign-in.dto';
export { proposedNames } from './sign-in/sign-in-exchange';
export { SignInRenewal } from './sign-in/sign-in-renewal';
export { SignInWays } from './sign-in/sign-in-ways';
