import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeyIdentity } from '../../common/security/api-key-identity';
import { UserModule } from '../user/user.api';
import { ApiKeyPersonalData } from './api-key.personal-data';
import { ApiKeyEntity } from './keys/api-key.entity';
import { ApiKeyRetention } from './keys/api-key.retention';
import { ApiKeyIdentities } from './keys/api-key-identities';

/** Keys with which programs call in the name of a user. `keys/` has the table, and finds the owner of a key. */
@Module({
  imports: [TypeOrmModule.forFeature([ApiKeyEntity]), UserModule],
  providers: [
    ApiKeyPersonalData,
    ApiKeyRetention,
    ApiKeyIdentities,
    { provide: ApiKeyIdentity, useExisting: ApiKeyIdentities },
  ],
  exports: [ApiKeyIdentity],
})
export class ApiKeyModule {}
