import { Injectable } from '@nestjs/common';
import { PersonalDataRegistry } from '../user/user.api';
import { RetentionLeaverEntity } from './policies/retention-policy.entity';

/** The personal data of this module: the groups that a user left in the last 24 hours. */
@Injectable()
export class RetentionPersonalData {
  constructor(registry: PersonalDataRegistry) {
    registry.register({
      name: 'left_groups',
      entities: [RetentionLeaverEntity],
      rows: (userId) =>
        registry.read(RetentionLeaverEntity, userId, ({ groupId, leftAt }) => ({
          group_id: groupId,
          left_at: leftAt.toISOString(),
        })),
      erase: (userId) => registry.delete(RetentionLeaverEntity, userId),
    });
  }
}
