import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database';
import { deleteRows } from '../../database/statements/delete';
import { findRows } from '../../database/statements/find';
import { LegalHolds } from '../hold/hold.api';
import { PersonalDataRegistry } from '../user/user.api';
import { ScimUserEntity } from './people/scim-user.entity';

/** The module's personal data of a user: the data from directories. */
@Injectable()
export class ScimPersonalData {
  constructor(database: Database, holds: LegalHolds, registry: PersonalDataRegistry) {
    registry.register({
      name: 'directories',
      entities: [ScimUserEntity],
      rows: (userId) => registry.read(ScimUserEntity, userId, toExported),
      erase: (userId) => registry.delete(ScimUserEntity, userId),
      // The directory may use the name and the external id again.
      release: (userId) =>
        database.write(async (manager) => {
          const rows = await findRows(manager, ScimUserEntity, { userId }, { lock: 'wait' });
          const copies = rows.map((row) => ({
            userId,
            chatId: null,
            kind: 'directory' as const,
            data: toExported(row),
          }));
          await holds.keepCopies(manager, copies);
          await deleteRows(manager, ScimUserEntity, { userId });
        }),
    });
  }
}

function toExported(row: ScimUserEntity): object {
  return {
    identity_provider_id: row.identityProviderId,
    user_name: row.userName,
    attributes: row.attributes,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
