import { Injectable } from '@nestjs/common';
import { PersonalDataRegistry } from '../user/user.api';
import { ApiKeyEntity } from './keys/api-key.entity';
import { ApiKeyQuery } from './keys/api-key.query';
import { ApiKeyService } from './keys/api-key.service';

/** The module's personal data of a user: the keys, without their hashes. */
@Injectable()
export class ApiKeyPersonalData {
  constructor(registry: PersonalDataRegistry, keys: ApiKeyService, query: ApiKeyQuery) {
    registry.registerNames('api_key', async (ids) => {
      const found = await query.find(ids);
      return new Map([...found].map(([id, { name }]) => [id, name]));
    });
    registry.register({
      name: 'api_keys',
      entities: [ApiKeyEntity],
      rows: (userId) =>
        registry.read(ApiKeyEntity, userId, (key) => ({
          ...keys.toDto(key),
          revoked_at: key.revokedAt?.toISOString() ?? null,
        })),
      erase: (userId) => registry.delete(ApiKeyEntity, userId),
    });
  }
}
