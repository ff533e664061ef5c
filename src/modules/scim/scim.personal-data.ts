import { Injectable } from '@nestjs/common';
import { PersonalDataRegistry } from '../user/user.api';
import { ScimUserEntity } from './people/scim-user.entity';

/** The module's personal data of a user: the data from directories. */
@Injectable()
export class ScimPersonalData {
  constructor(registry: PersonalDataRegistry) {
    registry.register({
      name: 'directories',
      entities: [ScimUserEntity],
      rows: (userId) =>
        registry.read(ScimUserEntity, userId, (row) => ({
          identity_provider_id: row.identityProviderId,
          user_name: row.userName,
          attributes: row.attributes,
          created_at: row.createdAt.toISOString(),
          updated_at: row.updatedAt.toISOString(),
        })),
      erase: (userId) => registry.delete(ScimUserEntity, userId),
    });
  }
}
