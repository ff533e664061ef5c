import { Injectable } from '@nestjs/common';
import { type Page, type PageQueryDto, partOf, toPage } from '../../../common/envelope/page.dto';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { rowExists } from '../../../database/statements/find';
import { LegalHolds } from '../../hold/hold.api';
import { UserService } from '../../user/user.api';
import type { Group, GroupEntity } from '../groups/group.entity';
import { GroupInUseError, GroupManagedError, MemberManagedError, MemberNotFoundError } from '../groups/group.errors';
import { GroupQuery } from '../groups/group.query';
import { GroupStore } from '../groups/group.store';
import { BY_ADMINISTRATORS, GroupMemberEntity } from '../groups/group-member.entity';
import { GroupMemberships } from '../groups/group-memberships';
import {
  CreateGroupDto,
  DeletedGroupDto,
  GroupDto,
  GroupMemberDto,
  ListGroupsQueryDto,
  RemovedGroupMemberDto,
  toGroupDto,
  toGroupMemberDto,
  UpdateGroupDto,
} from './group.dto';

/** Manages groups for administrators. */
@Injectable()
export class GroupAdministrationService {
  constructor(
    private readonly groups: GroupQuery,
    private readonly store: GroupStore,
    private readonly memberships: GroupMemberships,
    private readonly users: UserService,
    private readonly holds: LegalHolds,
  ) {}

  async list(query: ListGroupsQueryDto): Promise<Page<GroupDto>> {
    const { items, total } = await this.groups.page(query.q, partOf(query));
    const counts = await this.groups.countMembers(items.map(({ id }) => id));
    return toPage(
      items.map((group) => toGroupDto(group, counts.get(group.id) ?? 0)),
      total,
      query,
    );
  }

  /** @throws GroupNotFoundError */
  async get(id: number): Promise<GroupDto> {
    return this.describe(await this.groups.get(id));
  }

  /** @throws GroupNameTakenError */
  async create({ name, description = '' }: CreateGroupDto): Promise<GroupDto> {
    const fields = { name, description, managedBy: 'admin', identityProviderId: null, externalId: null } as const;
    return toGroupDto(await this.store.write((manager) => this.store.create(manager, fields)), 0);
  }

  /**
   * @throws GroupNotFoundError, GroupNameTakenError, GroupManagedError, ValidationFailedError if there is nothing to
   * change
   */
  async update(id: number, { name, description }: UpdateGroupDto): Promise<GroupDto> {
    const changes: Partial<GroupEntity> = {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
    };
    if (Object.keys(changes).length === 0) {
      throw ValidationFailedError.of('body', 'nothing_to_change');
    }
    const group = await this.store.write(async (manager) => {
      const before = await this.store.getLocked(manager, id);
      if (before.managedBy !== 'admin' && name !== undefined && name !== before.name) {
        throw new GroupManagedError();
      }
      return this.store.change(manager, before, changes);
    });
    return this.describe(group);
  }

  /** @throws GroupNotFoundError; GroupInUseError, also for a hold that is created while this runs */
  async remove(actorId: number, id: number): Promise<DeletedGroupDto> {
    await this.store.write(async (manager) => {
      // Removed first, because it locks agents before the group. A hold of the group locks the group, too.
      await this.store.remove(manager, id, BY_ADMINISTRATORS, actorId);
      if (await this.holds.coversGroup(manager, id)) {
        throw new GroupInUseError();
      }
    });
    return { id };
  }

  /** @throws GroupNotFoundError */
  async members(id: number, query: PageQueryDto): Promise<Page<GroupMemberDto>> {
    await this.groups.get(id);
    const { items, total } = await this.groups.members(id, partOf(query));
    return toPage(items.map(toGroupMemberDto), total, query);
  }

  /** Has no effect if an administrator has added the user already. @throws GroupNotFoundError, UserNotFoundError */
  async add(id: number, userId: number): Promise<GroupMemberDto> {
    const user = await this.store.write(async (manager) => {
      const found = await this.users.lock(manager, userId);
      await this.memberships.add(manager, await this.store.getLocked(manager, id), BY_ADMINISTRATORS, [userId]);
      return found;
    });
    return toGroupMemberDto(await this.groups.member(id, user));
  }

  /**
   * Removes a membership that an administrator granted.
   *
   * @throws GroupNotFoundError
   * @throws MemberNotFoundError if the user is not in the group
   * @throws MemberManagedError if only a provider or SCIM granted the membership
   */
  async removeMember(id: number, userId: number): Promise<RemovedGroupMemberDto> {
    return this.store.write(async (manager) => {
      const group = await this.store.getLocked(manager, id);
      const removed = await this.memberships.remove(manager, group, BY_ADMINISTRATORS, [userId]);
      const isMember = await rowExists(manager, GroupMemberEntity, { groupId: id, userId });
      if (removed.length === 0) {
        throw isMember ? new MemberManagedError() : new MemberNotFoundError();
      }
      return { user_id: userId, is_member: isMember };
    });
  }

  private async describe(group: Group): Promise<GroupDto> {
    return toGroupDto(group, (await this.groups.countMembers([group.id])).get(group.id) ?? 0);
  }
}
