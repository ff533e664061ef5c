import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { GroupMemberships } from '../../group/group.api';
import { GroupMembership } from './group-membership';

/** All providers together: what one of them still gives stays when another takes it back. */
const BY_PROVIDERS = { kind: 'provider', identityProviderId: 0 } as const;

/** The groups of the module `group`. */
@Injectable()
export class KeptGroups extends GroupMembership {
  constructor(private readonly memberships: GroupMemberships) {
    super();
  }

  override existing(ids: readonly number[]): Promise<number[]> {
    return this.memberships.existing(ids);
  }

  override setGiven(manager: EntityManager, userId: number, groupIds: readonly number[]): Promise<void> {
    return this.memberships.setGroupsOf(manager, userId, BY_PROVIDERS, groupIds);
  }
}
