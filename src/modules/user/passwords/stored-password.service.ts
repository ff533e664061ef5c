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
   * Sets another password; the caller ends the sessions. False when the account was closed or got another password
   * since `holder` was read.
   */
  async set(manager: EntityManager, holder: Holder, passwordHash: string): Promise<boolean> {
    const change = { passwordHash, passwordChangedAt: this.clock.now() };
    const affected = await updateRows(manager, UserEntity, change, unchanged(holder));
    return affected === 1;
  }

  /** Stores a new hash of the same password, unless the password was changed since `holder` was read. */
  async renew(manager: EntityManager, holder: Holder, passwordHash: string): Promise<void> {
    await updateRows(manager, UserEntity, { passwordHash }, unchanged(holder));
  }

  /**
   * Notes a login. False when the account was closed, suspended or got another password since `holder` was read: what the
   * user proved does not count any more. A session made beside a suspension would live again when that is lifted.
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
