import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { RateLimitStorageModule } from '../../common/rate-limit/rate-limit-storage.module';
import { ApiKeyIdentity } from '../../common/security/api-key-identity';
import { Scopes } from '../../common/security/scopes';
import { IdentityModule } from '../identity/identity.api';
import { UsageModule } from '../usage/usage.api';
import { UserModule } from '../user/user.api';
import { AdminApiKeysController } from './administration/admin-api-keys.controller';
import { ApiKeyAdministrationService } from './administration/api-key-administration.service';
import { ApiKeySearchQuery } from './administration/api-key-search.query';
import { ApiKeyPersonalData } from './api-key.personal-data';
import { apiKeyAudit } from './keys/api-key.audit';
import { ApiKeyEntity } from './keys/api-key.entity';
import { API_KEY_EVENTS } from './keys/api-key.events';
import { ApiKeyQuery } from './keys/api-key.query';
import { ApiKeyRetention } from './keys/api-key.retention';
import { ApiKeyService } from './keys/api-key.service';
import { ApiKeyStore } from './keys/api-key.store';
import { ApiKeyIdentities } from './keys/api-key-identities';
import { ApiKeyRules } from './keys/api-key-rules';
import { ApiKeysController } from './own/api-keys.controller';
import { documentScopes } from './own/document-scopes';

/**
 * Keys with which programs call in the name of a user. docs/api-keys.md tells what they are for.
 *
 * - `keys/` has the table and the rules. `ApiKeyIdentities` finds the owner of a key, `ApiKeyStore` makes and ends keys.
 * - `own/` and `administration/` are what owners and administrators do over HTTP.
 */
@Feature({
  folder: __dirname,
  groups: { 'API keys': 'Keys with which programs call in the name of a user.' },
  events: API_KEY_EVENTS,
  audits: [apiKeyAudit],
  imports: [TypeOrmModule.forFeature([ApiKeyEntity]), RateLimitStorageModule, IdentityModule, UsageModule, UserModule],
  controllers: [ApiKeysController, AdminApiKeysController],
  providers: [
    ApiKeyAdministrationService,
    ApiKeyIdentities,
    ApiKeyPersonalData,
    ApiKeyQuery,
    ApiKeyRetention,
    ApiKeyRules,
    ApiKeySearchQuery,
    ApiKeyService,
    ApiKeyStore,
    { provide: ApiKeyIdentity, useExisting: ApiKeyIdentities },
  ],
  exports: [ApiKeyIdentity, ApiKeyQuery],
})
export class ApiKeyModule {
  constructor(scopes: Scopes) {
    documentScopes(scopes);
  }
}
