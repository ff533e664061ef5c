import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { isUniqueViolation } from '../../../database/database.errors';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { insertEntity } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { AgentGroupRelease } from '../../agent/agent.api';
import { groupAudit } from './group.audit';
import { type Group, GroupEntity, groupNameKey } from './group.entity';
import { GroupInUseError, GroupNameTakenError, GroupNotFoundError } from './group.errors';
import { GroupMemberEntity, type MemberSource, sourceColumns } from './group-member.entity';
import { GroupMemberships } from './group-memberships';

/** The fields of a group that callers set. */
export type GroupFields = Pick<GroupEntity, 'name' | 'description' | 'managedBy' | 'identityProviderId' | 'externalId'>;

/** Whether something of another module refers to a group, so that no administrator may delete it. */
type GroupUse = (manager: EntityManager, groupId: number) => Promise<boolean>;

/** Creates, changes and deletes groups. Call all methods that take a manager within `write`. */
@Injectable()
export class GroupStore {
  private readonly uses: GroupUse[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly memberships: GroupMemberships,
    private readonly agents: AgentGroupRelease,
  ) {}

  /** Call it in a constructor. */
  addUse(use: GroupUse): void {
    this.uses.push(use);
  }

  /** `Database.write` for changes of groups. */
  write<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return this.agents.write(work);
  }

  /** Locks the group until the transaction ends. @throws GroupNotFoundError */
  async getLocked(manager: EntityManager, id: number): Promise<Group> {
    const [group] = await this.memberships.lock(manager, [id]);
    if (!group) {
      throw new GroupNotFoundError();
    }
    return group;
  }

  /** @throws GroupNameTakenError */
  async create(manager: EntityManager, fields: GroupFields): Promise<Group> {
    const now = this.clock.now();
    const row = { ...fields, nameKey: groupNameKey(fields.name), createdAt: now, updatedAt: now };
    const group = await refusingDuplicates(insertEntity(manager, GroupEntity, row));
    const change = { id: group.id, userId: null, before: null, after: group };
    await this.events.publish(manager, groupAudit.change('create', change));
    return group;
  }

  /** Changes a group that the transaction has locked. @throws GroupNameTakenError */
  async change(manager: EntityManager, before: Group, fields: Partial<GroupFields>): Promise<Group> {
    const names = fields.name === undefined ? {} : { nameKey: groupNameKey(fields.name) };
    const changes = { ...fields, ...names, updatedAt: this.clock.now() };
    await refusingDuplicates(updateRows(manager, GroupEntity, changes, { id: before.id }));
    const after = { ...before, ...changes };
    await this.events.publish(manager, groupAudit.change('update', { id: before.id, userId: null, before, after }));
    return after;
  }

  /** Hands the groups of a deleted directory over to the administrators, without the members that it had added. */
  async releaseDirectory(manager: EntityManager, identityProviderId: number): Promise<void> {
    const source = { kind: 'scim', identityProviderId } as const;
    const given = await findRows(manager, GroupMemberEntity, sourceColumns(source), { members: ['id', 'groupId'] });
    const kept = await findRows(manager, GroupEntity, { identityProviderId }, { members: ['id'] });
    const ids = [...given.map(({ groupId }) => groupId), ...kept.map(({ id }) => id)];
    for (const group of await this.memberships.lock(manager, ids)) {
      const members = await this.memberships.membersOf(manager, group.id, source);
      await this.memberships.remove(manager, group, source, members);
      if (group.identityProviderId === identityProviderId) {
        await this.change(manager, group, { managedBy: 'admin', identityProviderId: null, externalId: null });
      }
    }
  }

  /**
   * Deletes a group with its memberships, and removes it from the agents that it could use.
   *
   * @param actorId the administrator; null if a directory removes it
   * @returns the users whom this source had added to it
   * @throws GroupNotFoundError; GroupInUseError for an administrator
   */
  async remove(manager: EntityManager, id: number, source: MemberSource, actorId: number | null): Promise<number[]> {
    // Agents are locked before groups, as when an agent is changed.
    await this.agents.release(manager, id, actorId);
    const group = await this.getLocked(manager, id);
    if (actorId !== null) {
      await this.requireUnused(manager, id);
    }
    const members = await this.memberships.removeAll(manager, group, source);
    await deleteRows(manager, GroupEntity, { id });
    await this.events.publish(manager, groupAudit.change('delete', { id, userId: null, before: group, after: null }));
    return members;
  }

  private async requireUnused(manager: EntityManager, id: number): Promise<void> {
    for (const use of this.uses) {
      if (await use(manager, id)) {
        throw new GroupInUseError();
      }
    }
  }
}

/** The unique index decides between concurrent writers of the same name. */
async function refusingDuplicates<Result>(writing: Promise<Result>): Promise<Result> {
  try {
    return await writing;
  } catch (error) {
    throw isUniqueViolation(error, 'name') ? new GroupNameTakenError() : error;
  }
}
