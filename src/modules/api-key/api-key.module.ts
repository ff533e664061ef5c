import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { declareRouteGroup } from '../../common/http/route-groups';
import { declareLocales } from '../../common/i18n/locales';
import { RateLimitStorageModule } from '../../common/rate-limit/rate-limit-storage.module';
import { ApiKeyIdentity } from '../../common/security/api-key-identity';
import { UsageModule } from '../usage/usage.api';
import { UserModule } from '../user/user.api';
import { AdminApiKeysController } from './administration/admin-api-keys.controller';
import { ApiKeyAdministrationService } from './administration/api-key-administration.service';
import { ApiKeySearchQuery } from './administration/api-key-search.query';
import { ApiKeyPersonalData } from './api-key.personal-data';
import { ApiKeyEntity } from './keys/api-key.entity';
import { ApiKeyQuery } from './keys/api-key.query';
import { ApiKeyRetention } from './keys/api-key.retention';
import { ApiKeyService } from './keys/api-key.service';
import { ApiKeyStore } from './keys/api-key.store';
import { ApiKeyIdentities } from './keys/api-key-identities';
import { ApiKeyRules } from './keys/api-key-rules';
import { ApiKeysController } from './own/api-keys.controller';

declareLocales(__dirname);
declareRouteGroup('API keys', 'Keys with which programs call in the name of a user.', 35);

/**
 * Keys with which programs call in the name of a user. docs/api-keys.md tells what they are for.
 *
 * - `keys/` has the table and the rules. `ApiKeyIdentities` finds the owner of a key, `ApiKeyStore` makes and ends keys.
 * - `own/` and `administration/` are what owners and administrators do over HTTP.
 */
@Module({
  imports: [TypeOrmModule.forFeature([ApiKeyEntity]), RateLimitStorageModule, UsageModule, UserModule],
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
export class ApiKeyModule {}
