/** What other modules may use of this one. */
export { IdentityEntity } from './identities/identity.entity';
export { IdentityModule } from './identity.module';
export { IdentityProviderEntity } from './providers/identity-provider.entity';
