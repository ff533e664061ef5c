import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database';
import { deleteRows } from '../../database/statements/delete';
import { findRow, findRows } from '../../database/statements/find';
import { LegalHolds } from '../hold/hold.api';
import { PersonalDataRegistry } from '../user/user.api';
import { IdentityEntity } from './identities/identity.entity';
import { MappedAccountEntity } from './mapping/mapped-account.entity';
import { SignInEntity } from './sign-in/sign-in.entity';

/** The personal data of this module: identities, rights granted by mappings, and pending links. */
@Injectable()
export class IdentityPersonalData {
  constructor(
    private readonly database: Database,
    private readonly holds: LegalHolds,
    registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'identities',
      entities: [IdentityEntity],
      rows: (userId) => registry.read(IdentityEntity, userId, toRow),
      erase: (userId) => registry.delete(IdentityEntity, userId),
      release: (userId) => this.releaseIdentities(userId),
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

  /** Another account may sign in with these identities from now on. */
  private async releaseIdentities(userId: number): Promise<void> {
    await this.database.write(async (manager) => {
      const identities = await findRows(manager, IdentityEntity, { userId }, { lock: 'wait' });
      const copies = identities.map((row) => ({ userId, chatId: null, kind: 'identity' as const, data: toRow(row) }));
      await this.holds.keepCopies(manager, copies);
      await deleteRows(manager, IdentityEntity, { userId });
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
