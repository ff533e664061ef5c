import { Injectable } from '@nestjs/common';
import { EntityManager, IsNull } from 'typeorm';
import { Clock } from '../../../common/clock';
import { updateRows } from '../../../database/statements/update';
import { UserEntity } from '../account/user.entity';

type Holder = Pick<UserEntity, 'id' | 'passwordChangedAt'>;

/** The passwords of accounts, as hashes. Every method runs within `Database.write`. */
@Injectable()
export class StoredPasswordService {
  constructor(private readonly clock: Clock) {}

  /**
   * Sets another password. The caller ends the sessions. Returns false if the account was closed or got another
   * password since `holder` was read.
   */
  async set(manager: EntityManager, holder: Holder, passwordHash: string): Promise<boolean> {
    const change = { passwordHash, passwordChangedAt: this.clock.now() };
    const affected = await updateRows(manager, UserEntity, change, unchanged(holder));
    return affected === 1;
  }

  /** Stores a new hash of the same password, unless the password has changed since `holder` was read. */
  async renew(manager: EntityManager, holder: Holder, passwordHash: string): Promise<void> {
    await updateRows(manager, UserEntity, { passwordHash }, unchanged(holder));
  }

  /**
   * Records a login. Returns false if the account was closed, suspended or got another password since `holder` was
   * read, because the user's proof is no longer valid. A session created during a suspension would otherwise become
   * valid when the suspension is lifted.
   */
  async noteLogin(manager: EntityManager, holder: Holder): Promise<boolean> {
    const isOpen = { ...unchanged(holder), suspendedAt: IsNull() };
    const affected = await updateRows(manager, UserEntity, { lastLoginAt: this.clock.now() }, isOpen);
    return affected === 1;
  }
}

function unchanged({ id, passwordChangedAt }: Holder): object {
  return { id, passwordChangedAt: passwordChangedAt ?? IsNull(), deletedAt: IsNull() };
}
