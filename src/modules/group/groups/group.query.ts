import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { ListPart } from '../../../common/envelope/total-count';
import { Database } from '../../../database/database';
import { findPage, findRow, findRows } from '../../../database/statements/find';
import { queryRows } from '../../../database/statements/query';
import type { Rows } from '../../../database/statements/row-condition';
import { idList } from '../../../database/statements/rows-by-id';
import { containsText } from '../../../database/statements/text-search';
import { type Group, GroupEntity, type GroupManager, groupNameKey } from './group.entity';
import { GroupNotFoundError } from './group.errors';
import { GroupMemberEntity } from './group-member.entity';
import { MEMBERS_OF_GROUPS } from './group-memberships';

interface Person {
  id: number;
  username: string;
  email: string;
}

interface Part {
  offset: number;
  limit: number;
}

/** A member of a group. */
export interface GroupMember {
  userId: number;
  username: string;
  email: string;
  /** The sources of the membership, administrators first. */
  sources: GroupManager[];
  /** When the first source granted it. */
  addedAt: Date;
}

/** Open accounts in the groups. */
const OPEN_MEMBERS = `(${MEMBERS_OF_GROUPS}) AS member
  JOIN users account ON account.id = member.user_id AND account.deleted_at IS NULL`;

/** Read-only queries for groups and their members. */
@Injectable()
export class GroupQuery {
  constructor(private readonly database: Database) {}

  /** @throws GroupNotFoundError */
  async get(id: number): Promise<Group> {
    const group = await findRow(this.database.manager, GroupEntity, { id });
    if (!group) {
      throw new GroupNotFoundError();
    }
    return group;
  }

  /** The names of groups. */
  async namesOf(ids: readonly number[]): Promise<Map<number, string>> {
    const groups = await findRows(
      this.database.manager,
      GroupEntity,
      { id: In([...ids]) },
      { members: ['id', 'name'] },
    );
    return new Map(groups.map(({ id, name }) => [id, name]));
  }

  /** The groups with the text in their names, sorted by name. */
  page(text: string | undefined, part: Part): Promise<ListPart<Group>> {
    const { manager } = this.database;
    const where: Rows<GroupEntity> = text ? containsText(manager, 'name', text) : {};
    return findPage(manager, GroupEntity, where, { order: { nameKey: 'ASC', id: 'ASC' }, ...part });
  }

  /** The number of open accounts in each of the groups. */
  async countMembers(groupIds: readonly number[]): Promise<Map<number, number>> {
    if (groupIds.length === 0) {
      return new Map();
    }
    const rows = await queryRows<{ group_id: number; members: number | string }>(
      this.database.manager,
      `SELECT member.group_id AS group_id, COUNT(*) AS members FROM ${OPEN_MEMBERS}
       WHERE member.group_id IN ${idList(groupIds)} GROUP BY member.group_id`,
    );
    return new Map(rows.map(({ group_id, members }) => [group_id, Number(members)]));
  }

  /** The groups of a directory with one of these ids or names; all of them without both. Sorted by id. */
  ofDirectory(
    identityProviderId: number,
    which: { ids?: readonly number[]; names?: readonly string[]; externalIds?: readonly string[] } = {},
  ): Promise<Group[]> {
    const where = {
      managedBy: 'scim' as const,
      identityProviderId,
      ...(which.ids && { id: In([...which.ids]) }),
      ...(which.names && { nameKey: In(which.names.map(groupNameKey)) }),
      ...(which.externalIds && { externalId: In([...which.externalIds]) }),
    };
    return findRows(this.database.manager, GroupEntity, where, { order: { id: 'ASC' } });
  }

  /** The group with this name. */
  named(name: string): Promise<Group | null> {
    return findRow(this.database.manager, GroupEntity, { nameKey: groupNameKey(name) });
  }

  /** The memberships that a directory has granted. */
  async givenByDirectory(
    identityProviderId: number,
    which: { groupIds: readonly number[] } | { userIds: readonly number[] },
  ): Promise<{ groupId: number; userId: number }[]> {
    const members = 'groupIds' in which ? { groupId: In([...which.groupIds]) } : { userId: In([...which.userIds]) };
    const where = { source: 'scim' as const, identityProviderId, ...members };
    return findRows(this.database.manager, GroupMemberEntity, where, {
      order: { id: 'ASC' },
      members: ['id', 'groupId', 'userId'],
    });
  }

  /** One member. @param user must be in the group */
  async member(groupId: number, user: Person): Promise<GroupMember> {
    return toMember(user, await this.given(groupId, [user]));
  }

  /** The members with open accounts, sorted by id. */
  async members(groupId: number, { offset, limit }: Part): Promise<ListPart<GroupMember>> {
    const { manager } = this.database;
    const users = await queryRows<Person>(
      manager,
      `SELECT account.id AS id, account.username AS username, account.email AS email FROM ${OPEN_MEMBERS}
       WHERE member.group_id = ? ORDER BY account.id LIMIT ? OFFSET ?`,
      [groupId, limit, offset],
    );
    const given = await this.given(groupId, users);
    const items = users.map((user) => toMember(user, given));
    return { items, total: (await this.countMembers([groupId])).get(groupId) ?? 0 };
  }

  private given(groupId: number, users: readonly Person[]): Promise<GroupMemberEntity[]> {
    const userId = In(users.map(({ id }) => id));
    return findRows(this.database.manager, GroupMemberEntity, { groupId, userId });
  }
}

function toMember({ id, username, email }: Person, given: readonly GroupMemberEntity[]): GroupMember {
  const own = given.filter(({ userId }) => userId === id);
  const sources = [...new Set(own.map(({ source }) => source))].sort();
  const addedAt = new Date(Math.min(...own.map(({ createdAt }) => createdAt.getTime())));
  return { userId: id, username, email, sources, addedAt };
}
