/** What other modules may use of this one. */
export { type Identity, IdentityStore } from './identities/identity.store';
export { IdentityLinks } from './identities/identity-links';
export { IdentityModule } from './identity.module';
export { GroupMembership } from './mapping/group-membership';
export { IdentityMapping } from './mapping/identity-mapping';
export { type IdentityProvider, IdentityProviderStore } from './providers/identity-provider.store';
