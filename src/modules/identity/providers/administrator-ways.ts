import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull, MoreThan, Not } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DAY_MILLISECONDS } from '../../../common/time';
import { findRows } from '../../../database/statements/find';
import { SettingsService, UserService } from '../../user/user.api';
import { IdentityEntity } from '../identities/identity.entity';
import { LastLoginMethodError } from '../identity.errors';
import { IdentityProviderEntity } from './identity-provider.entity';

/** Sees to it that an administrator can still sign in. */
@Injectable()
export class AdministratorWays {
  constructor(
    private readonly settings: SettingsService,
    private readonly users: UserService,
    private readonly clock: Clock,
  ) {}

  /**
   * Within `Database.write`: call it before a provider goes or is switched off. Where no password helps, another provider must
   * have let an administrator in within the day.
   *
   * @throws LastLoginMethodError when no administrator could sign in any more
   */
  async assertRemain(manager: EntityManager, goneProviderId: number): Promise<void> {
    const settings = await this.settings.lock(manager);
    const administrators = await this.users.lockAdministrators(manager);
    const isOff = settings.password_login === 'off';
    const hasPassword = !isOff && administrators.some(({ localLogin }) => localLogin);
    if (administrators.length === 0 || hasPassword) {
      return;
    }
    await this.assertEnter(manager, administrators, goneProviderId, isOff);
  }

  /**
   * Within `Database.write`, with the settings locked: call it before passwords let nobody in any more.
   *
   * @throws LastLoginMethodError when no administrator has signed in with an active provider within the day
   */
  async assertPasswordsMayClose(manager: EntityManager): Promise<void> {
    await this.assertEnter(manager, await this.users.lockAdministrators(manager), 0, true);
  }

  private async assertEnter(
    manager: EntityManager,
    administrators: readonly { id: number }[],
    goneProviderId: number,
    isWithinTheDay: boolean,
  ): Promise<void> {
    // Not from memory: another administrator may have switched one off a moment ago, and holds the settings no more.
    const others = await findRows(manager, IdentityProviderEntity, { isActive: true, id: Not(goneProviderId) });
    const identities = await findRows(manager, IdentityEntity, {
      userId: In(administrators.map(({ id }) => id)),
      providerId: In(others.map(({ id }) => id)),
      unlinkedAt: IsNull(),
      ...(isWithinTheDay && { lastUsedAt: MoreThan(new Date(this.clock.now().getTime() - DAY_MILLISECONDS)) }),
    });
    if (identities.length === 0) {
      throw new LastLoginMethodError();
    }
  }
}
