import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import type { AuditedChange } from '../../../common/audit/audit-definition';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import { ForbiddenError } from '../../../common/security/security.errors';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { insertBatch } from '../../../database/statements/insert';
import { GroupMemberships } from '../../group/group.api';
import { type GroupRole, KnowledgeStoreGroupEntity } from '../tables/knowledge-store.entity';

/** Who may read a collection, besides its owner. */
export interface StoreAccess {
  everyone: 'reader' | null;
  groups: { groupId: number; role: GroupRole }[];
}

export const PRIVATE: StoreAccess = { everyone: null, groups: [] };

/** The user who changes an access. */
export interface Sharer {
  userId: number;
  isAdministrator: boolean;
}

/** The groups that collections are shared with. A deleted group leaves them in the transaction of its deletion. */
@Injectable()
export class StoreAccesses {
  constructor(
    private readonly database: Database,
    private readonly memberships: GroupMemberships,
    events: DomainEvents,
  ) {
    events.on('audit.group.delete', async ({ data }, manager) => {
      await deleteRows(manager, KnowledgeStoreGroupEntity, { groupId: Number((data as AuditedChange).targetId) });
    });
  }

  /** The groups of each collection, in the order of their ids. */
  async groupsOf(
    storeIds: readonly number[],
    manager: EntityManager = this.database.manager,
  ): Promise<Map<number, StoreAccess['groups']>> {
    const rows = await findRows(
      manager,
      KnowledgeStoreGroupEntity,
      { storeId: In([...storeIds]) },
      { order: { groupId: 'ASC' } },
    );
    const groups = new Map<number, StoreAccess['groups']>(storeIds.map((id) => [id, []]));
    rows.forEach(({ storeId, groupId, role }) => groups.get(storeId)?.push({ groupId, role }));
    return groups;
  }

  /**
   * Sets the groups of a collection. Only what is added is checked. Call it within `Database.write`.
   *
   * @throws ForbiddenError if the user may not share with everyone, or with a group; ValidationFailedError for a group
   * that does not exist
   */
  async set(
    manager: EntityManager,
    by: Sharer,
    storeId: number,
    before: StoreAccess,
    { everyone, groups }: StoreAccess,
  ): Promise<void> {
    if (everyone !== null && everyone !== before.everyone && !by.isAdministrator) {
      throw new ForbiddenError();
    }
    const added = groups.flatMap(({ groupId }, index) =>
      before.groups.some((group) => group.groupId === groupId) ? [] : [{ groupId, index }],
    );
    await this.requireGroups(manager, by, added);
    await deleteRows(manager, KnowledgeStoreGroupEntity, { storeId });
    await insertBatch(
      manager,
      KnowledgeStoreGroupEntity,
      groups.map((group) => ({ ...group, storeId })),
    );
  }

  private async requireGroups(
    manager: EntityManager,
    { userId, isAdministrator }: Sharer,
    added: readonly { groupId: number; index: number }[],
  ): Promise<void> {
    if (added.length === 0) {
      return;
    }
    // Locked, because a concurrent deletion of the group removes only what it finds.
    const existing = await this.memberships.lock(
      manager,
      added.map(({ groupId }) => groupId),
    );
    const missing = added.find(({ groupId }) => !existing.some(({ id }) => id === groupId));
    if (missing !== undefined) {
      throw ValidationFailedError.of(`access.groups.${missing.index}.group_id`, 'not_offered');
    }
    const own = isAdministrator ? null : await this.memberships.groupIdsOf(userId, manager);
    if (own !== null && added.some(({ groupId }) => !own.includes(groupId))) {
      throw new ForbiddenError();
    }
  }
}
