import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database';
import { deleteRows } from '../../database/statements/delete';
import { findRow } from '../../database/statements/find';
import { PersonalDataRegistry } from '../user/user.api';
import { IdentityEntity } from './identities/identity.entity';
import { MappedAccountEntity } from './mapping/mapped-account.entity';
import { SignInEntity } from './sign-in/sign-in.entity';

/** The personal data of this module: identities, rights granted by mappings, and pending links. */
@Injectable()
export class IdentityPersonalData {
  constructor(
    private readonly database: Database,
    registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'identities',
      entities: [IdentityEntity],
      rows: (userId) => registry.read(IdentityEntity, userId, toRow),
      erase: (userId) => registry.delete(IdentityEntity, userId),
    });
    registry.register({
      name: 'mapped_rights',
      entities: [MappedAccountEntity],
      rows: (userId) => this.mappedRights(userId),
      erase: (userId) =>
        this.database.write(async (manager) => {
          await deleteRows(manager, MappedAccountEntity, { userId });
        }),
    });
    registry.register({
      name: 'identity_links',
      entities: [SignInEntity],
      rows: () => nothing(),
      erase: (userId) =>
        this.database.write(async (manager) => {
          await deleteRows(manager, SignInEntity, { userId });
        }),
    });
  }

  private async *mappedRights(userId: number): AsyncGenerator<object> {
    const row = await findRow(this.database.manager, MappedAccountEntity, { userId });
    if (row) {
      yield { user_type: row.mappedUserType, membership_type: row.mappedMembershipType };
    }
  }
}

/** A pending link expires within minutes and holds only what the identity will hold. */
async function* nothing(): AsyncGenerator<object> {}

function toRow(identity: IdentityEntity): object {
  return {
    id: identity.id,
    issuer: identity.issuer,
    subject: identity.subject,
    external_id: identity.externalId,
    email: identity.email,
    groups: identity.providerGroups,
    linked_at: identity.linkedAt.toISOString(),
    last_used_at: identity.lastUsedAt?.toISOString() ?? null,
    unlinked_at: identity.unlinkedAt?.toISOString() ?? null,
  };
}
