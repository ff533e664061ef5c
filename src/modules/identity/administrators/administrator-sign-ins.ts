import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull, MoreThan } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DAY_MILLISECONDS } from '../../../common/time';
import { findRows } from '../../../database/statements/find';
import { UserDirectoryQuery } from '../../user/user.api';
import { IdentityEntity } from '../identities/identity.entity';
import { LastLoginMethodError } from '../identity.errors';
import { IdentityProviderEntity } from '../providers/identity-provider.entity';

/** Whether administrators come in without a password. */
@Injectable()
export class AdministratorSignIns {
  constructor(
    private readonly clock: Clock,
    private readonly users: UserDirectoryQuery,
  ) {}

  /**
   * Within `Database.write`: call it before passwords and codes open nothing any more.
   *
   * @throws LastLoginMethodError when no administrator has signed in with an active provider within the last day
   */
  async assertAdministratorEnters(manager: EntityManager): Promise<void> {
    const active = await findRows(
      manager,
      IdentityProviderEntity,
      { isActive: true },
      { members: ['id'], lock: 'wait' },
    );
    const recent = await findRows(manager, IdentityEntity, {
      providerId: In(active.map(({ id }) => id)),
      unlinkedAt: IsNull(),
      lastUsedAt: MoreThan(new Date(this.clock.now().getTime() - DAY_MILLISECONDS)),
    });
    const administrators = await this.users.administratorsAmong(recent.map(({ userId }) => userId));
    if (administrators.size === 0) {
      throw new LastLoginMethodError();
    }
  }
}
