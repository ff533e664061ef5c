import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import type { EventHearers } from '../../../../common/events/domain-events';
import { findRow } from '../../../../database/statements/find';
import { GroupMemberships, MEMBERS_OF_GROUP } from '../../../group/group.api';
import { UserDirectoryQuery } from '../../../user/user.api';
import { ToolActionEntity } from '../tool-action.entity';
import type { ToolCallEntity } from '../tool-call.entity';

/** The id of the approving group. Null: the user or administrators approve. */
export function approverGroup(approver: string): number | null {
  return approver.startsWith('group:') ? Number(approver.slice('group:'.length)) : null;
}

/** The approvers other than the user, who receive events about the action. Undefined: only the user approves. */
export function approverHearers(approver: string): EventHearers | undefined {
  const people = 'SELECT hearer.id FROM users hearer WHERE hearer.deleted_at IS NULL AND hearer.user_type';
  const groupId = approverGroup(approver);
  if (groupId !== null) {
    return { users: `${people} <> 'service' AND hearer.id IN (${MEMBERS_OF_GROUP})`, parameters: [groupId] };
  }
  return approver === 'admin' ? { users: `${people} = 'admin'`, parameters: [] } : undefined;
}

/** Checks whether approvers of earlier decisions still have that right. */
@Injectable()
export class Approvers {
  constructor(
    private readonly users: UserDirectoryQuery,
    private readonly groups: GroupMemberships,
  ) {}

  /**
   * Within `Database.write`: whether the person who last decided about a call could still do so now. True if the user
   * is the approver: the caller checks the user's own access.
   */
  async stand(manager: EntityManager, { id: callId, approver }: ToolCallEntity): Promise<boolean> {
    if (approver === 'user') {
      return true;
    }
    const options = { members: ['id', 'decidedBy'], order: { id: 'DESC' } } as const;
    const word = await findRow(
      manager,
      ToolActionEntity,
      { callId, state: 'decided', kind: In(['approve', 'unknown']) },
      options,
    );
    const decidedBy = word?.decidedBy ?? null;
    if (decidedBy === null) {
      return true;
    }
    const groupId = approverGroup(approver);
    if (groupId === null) {
      return (await this.users.administratorsAmong([decidedBy])).has(decidedBy);
    }
    const [groupIds, withoutAccess] = await Promise.all([
      this.groups.groupIdsOf(decidedBy, manager),
      this.users.withoutAccess([decidedBy]),
    ]);
    return groupIds.includes(groupId) && !withoutAccess.has(decidedBy);
  }
}
