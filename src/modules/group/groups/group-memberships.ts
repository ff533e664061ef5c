import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { insertBatch } from '../../../database/statements/insert';
import { RowQuery } from '../../../database/statements/query';
import type { Where } from '../../../database/statements/row-condition';
import { idBatches } from '../../../database/statements/rows-by-id';
import { AgentGroups } from '../../agent/agent.api';
import { LegalHolds } from '../../hold/hold.api';
import { PrincipalService } from '../../user/user.api';
import { groupMemberAudit } from './group.audit';
import { type Group, GroupEntity, groupNameKey } from './group.entity';
import { memberAdded, memberRemoved } from './group.events';
import { GroupMemberEntity, type MemberSource, sourceColumns } from './group-member.entity';

const OF_USER = new RowQuery(GroupMemberEntity, ({ userId }) => `WHERE ${userId} = ?`, ['groupId']);

/**
 * SQL for statements of other modules: each user of each group once, as `group_id` and `user_id`, from all sources.
 *
 * @example `JOIN (${MEMBERS_OF_GROUPS}) AS member ON member.user_id = usage.user_id`
 */
export const MEMBERS_OF_GROUPS = 'SELECT DISTINCT group_id, user_id FROM user_group_members';

/** SQL for statements of other modules: the users of the group whose id is its parameter. */
export const MEMBERS_OF_GROUP = 'SELECT user_id FROM user_group_members WHERE group_id = ?';

/**
 * The memberships of groups. Those of each source (administrators, a provider's sign-in, its directory) are separate,
 * so that no source removes what another granted. All methods that take a manager run within `Database.write`.
 */
@Injectable()
export class GroupMemberships {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly principals: PrincipalService,
    private readonly holds: LegalHolds,
    agentGroups: AgentGroups,
  ) {
    principals.useGroups((userId) => this.groupIdsOf(userId));
    agentGroups.useKeeper({
      hold: async (manager, ids) => (await this.lock(manager, ids)).map(({ id }) => id),
      namesOf: async (ids) => new Map((await this.some({ id: In([...ids]) })).map(({ id, name }) => [id, name])),
      find: async (names) => {
        const groups = await this.some({ nameKey: In(names.map(groupNameKey)) });
        const ids = new Map(groups.map(({ id, nameKey }) => [nameKey, id]));
        return names.map((name) => ids.get(groupNameKey(name)) ?? null);
      },
    });
  }

  /** The groups of a user, from all sources. */
  async groupIdsOf(userId: number, manager: EntityManager = this.database.manager): Promise<number[]> {
    const rows = await OF_USER.all(manager, [userId]);
    return [...new Set(rows.map(({ groupId }) => groupId))].sort((one, other) => one - other);
  }

  /** The ids among these that belong to groups. */
  async existing(ids: readonly number[]): Promise<number[]> {
    const where = { id: In([...new Set(ids)]) };
    const groups = await findRows(this.database.manager, GroupEntity, where, { members: ['id'], order: { id: 'ASC' } });
    return groups.map(({ id }) => id);
  }

  /** The existing groups with these ids, locked in the order of their ids. */
  lock(manager: EntityManager, ids: readonly number[]): Promise<Group[]> {
    return ids.length === 0
      ? Promise.resolve([])
      : findRows(manager, GroupEntity, { id: In([...new Set(ids)]) }, { order: { id: 'ASC' }, lock: 'wait' });
  }

  /** The users whom a source has added to a group. */
  async membersOf(manager: EntityManager, groupId: number, source: MemberSource): Promise<number[]> {
    const rows = await findRows(manager, GroupMemberEntity, { groupId, ...sourceColumns(source) });
    return rows.map(({ userId }) => userId);
  }

  /** The groups to which a source has added a user. */
  async groupIdsFromSource(manager: EntityManager, userId: number, source: MemberSource): Promise<number[]> {
    const rows = await findRows(manager, GroupMemberEntity, { userId, ...sourceColumns(source) });
    return rows.map(({ groupId }) => groupId);
  }

  /** Sets the groups that a source grants to a user, and removes its others. Deleted groups are left out. */
  async replaceGroups(
    manager: EntityManager,
    userId: number,
    source: MemberSource,
    groupIds: readonly number[],
  ): Promise<void> {
    const present = await this.groupIdsFromSource(manager, userId, source);
    const gone = present.filter((id) => !groupIds.includes(id));
    const wanted = groupIds.filter((id) => !present.includes(id));
    // All at once and in the order of their ids, so that no two callers wait for each other.
    for (const group of await this.lock(manager, [...gone, ...wanted])) {
      const isGone = gone.includes(group.id);
      await (isGone ? this.remove(manager, group, source, [userId]) : this.add(manager, group, source, [userId]));
    }
  }

  /**
   * Adds users to a group that the transaction has locked. Returns those whom this source had not added before.
   *
   * @param userIds of existing accounts
   */
  async add(manager: EntityManager, group: Group, source: MemberSource, userIds: readonly number[]): Promise<number[]> {
    const others = await this.findUsers(manager, group.id, userIds);
    const columns = sourceColumns(source);
    const isPresent = new Set(others.filter((row) => isOf(row, columns)).map(({ userId }) => userId));
    const added = [...new Set(userIds)].filter((userId) => !isPresent.has(userId));
    const createdAt = this.clock.now();
    const rows = added.map((userId) => ({ groupId: group.id, userId, ...columns, createdAt }));
    await insertBatch(manager, GroupMemberEntity, rows);
    await this.holds.coverMembers(manager, group.id, added);
    const members = new Set(others.map(({ userId }) => userId));
    await this.publishChange(manager, group, source, added, (userId) => !members.has(userId), true);
    return added;
  }

  /** Removes the memberships that this source granted. Returns the users whom it had added to the group. */
  async remove(
    manager: EntityManager,
    group: Group,
    source: MemberSource,
    userIds: readonly number[],
  ): Promise<number[]> {
    const rows = await this.findUsers(manager, group.id, userIds);
    const columns = sourceColumns(source);
    const own = rows.filter((row) => isOf(row, columns));
    const removed = own.map(({ userId }) => userId);
    for (const ids of idBatches(own.map(({ id }) => id))) {
      await deleteRows(manager, GroupMemberEntity, { id: In(ids) });
    }
    const staying = new Set(rows.filter((row) => !isOf(row, columns)).map(({ userId }) => userId));
    await this.publishChange(manager, group, source, removed, (userId) => !staying.has(userId), false);
    return removed;
  }

  /** Removes all members from a group, from all sources. Returns those whom this source had added. */
  async removeAll(manager: EntityManager, group: Group, source: MemberSource): Promise<number[]> {
    const rows = await findRows(manager, GroupMemberEntity, { groupId: group.id });
    await deleteRows(manager, GroupMemberEntity, { groupId: group.id });
    for (const userId of new Set(rows.map((row) => row.userId))) {
      await this.events.publish(manager, memberRemoved(group, userId, source));
      this.principals.forget(userId);
    }
    const columns = sourceColumns(source);
    return rows.filter((row) => isOf(row, columns)).map(({ userId }) => userId);
  }

  private some(where: Where<GroupEntity>): Promise<Pick<GroupEntity, 'id' | 'name' | 'nameKey'>[]> {
    return findRows(this.database.manager, GroupEntity, where, { members: ['id', 'name', 'nameKey'] });
  }

  private async findUsers(
    manager: EntityManager,
    groupId: number,
    userIds: readonly number[],
  ): Promise<GroupMemberEntity[]> {
    const rows: GroupMemberEntity[] = [];
    for (const batch of idBatches(userIds)) {
      rows.push(...(await findRows(manager, GroupMemberEntity, { groupId, userId: In(batch) })));
    }
    return rows;
  }

  /** @param isChange whether the user has joined or left the group, over all sources */
  private async publishChange(
    manager: EntityManager,
    group: Group,
    source: MemberSource,
    userIds: readonly number[],
    isChange: (userId: number) => boolean,
    isAdded: boolean,
  ): Promise<void> {
    for (const userId of userIds) {
      if (isChange(userId)) {
        const event = isAdded ? memberAdded : memberRemoved;
        await this.events.publish(manager, event(group, userId, source));
        this.principals.forget(userId);
      }
      const membership = { userId, source: source.kind };
      const [before, after] = isAdded ? [null, membership] : [membership, null];
      const verb = isAdded ? 'create' : 'delete';
      await this.events.publish(manager, groupMemberAudit.change(verb, { id: group.id, userId, before, after }));
    }
  }
}

function isOf(row: GroupMemberEntity, { source, identityProviderId }: ReturnType<typeof sourceColumns>): boolean {
  return row.source === source && row.identityProviderId === identityProviderId;
}
