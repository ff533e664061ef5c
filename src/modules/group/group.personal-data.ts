import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../database/database';
import { findRows } from '../../database/statements/find';
import { PersonalDataRegistry } from '../user/user.api';
import { GroupEntity } from './groups/group.entity';
import { GroupMemberEntity } from './groups/group-member.entity';

/** The module's personal data of a user: the memberships, with the names of the groups. */
@Injectable()
export class GroupPersonalData {
  constructor(
    private readonly database: Database,
    registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'groups',
      entities: [GroupMemberEntity],
      rows: (userId) => this.rows(userId),
      erase: (userId) => registry.delete(GroupMemberEntity, userId),
    });
  }

  private async *rows(userId: number): AsyncGenerator<object> {
    const { manager } = this.database;
    const memberships = await findRows(manager, GroupMemberEntity, { userId }, { order: { id: 'ASC' } });
    const groups = await findRows(manager, GroupEntity, { id: In(memberships.map(({ groupId }) => groupId)) });
    const names = new Map(groups.map(({ id, name }) => [id, name]));
    for (const { groupId, source, createdAt } of memberships) {
      yield { group_id: groupId, name: names.get(groupId) ?? null, source, added_at: createdAt.toISOString() };
    }
  }
}
