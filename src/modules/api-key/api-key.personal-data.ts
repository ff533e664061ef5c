import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { PersonalDataRegistry } from '../user/user.api';
import { toApiKeyDto } from './keys/api-key.dto';
import { ApiKeyEntity } from './keys/api-key.entity';

/** What this module keeps about a user: the keys, whose hashes nobody gets. */
@Injectable()
export class ApiKeyPersonalData {
  constructor(registry: PersonalDataRegistry, clock: Clock) {
    registry.register({
      name: 'api_keys',
      entities: [ApiKeyEntity],
      rows: (userId) =>
        registry.read(ApiKeyEntity, userId, (key) => ({
          ...toApiKeyDto(key, clock.now()),
          revoked_at: key.revokedAt?.toISOString() ?? null,
        })),
      erase: (userId) => registry.delete(ApiKeyEntity, userId),
    });
  }
}
