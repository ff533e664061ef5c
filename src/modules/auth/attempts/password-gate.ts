import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../../database/database';
import { PasswordService, User } from '../../user/user.api';
import { AddressQueue } from './address-queue';
import { AccountLockedError, InvalidCredentialsError } from './attempt.errors';
import { AttemptLog, AttemptRule } from './attempt-log';

/** Wrong passwords of one address in any quarter of an hour, after which passwords are not even looked at. */
const FAILURES: AttemptRule = { kind: 'passwords', limits: [{ count: 10, seconds: 900 }] };

/** Checks passwords and stops those who guess them. Known and unknown addresses are treated alike. */
@Injectable()
export class PasswordGate {
  constructor(
    private readonly database: Database,
    private readonly passwords: PasswordService,
    private readonly queue: AddressQueue,
    private readonly attempts: AttemptLog,
  ) {}

  /**
   * Passes when `password` is the user's. The try is counted and committed before the comparison.
   *
   * @param user whose address it is; null when it has no account
   * @throws AccountLockedError after ten wrong passwords in 15 minutes.
   * @throws InvalidCredentialsError when the password is wrong or there is no user.
   * @throws ServiceUnavailableError when too many passwords are being checked.
   */
  check(email: string, user: User | null, password: string): Promise<User> {
    return this.queue.run(email, async () => {
      const wait = await this.database.write((manager) => this.attempts.take(manager, FAILURES, email));
      if (wait > 0) {
        throw new AccountLockedError(wait);
      }
      const isRight = await this.compare(email, user, password);
      if (!user || !isRight) {
        throw new InvalidCredentialsError();
      }
      await this.database.write((manager) => this.forgive(manager, email));
      return user;
    });
  }

  /** Within `Database.write`: forgets the wrong passwords of an address. */
  async forgive(manager: EntityManager, email: string): Promise<void> {
    await this.attempts.clear(manager, FAILURES.kind, email);
  }

  private async compare(email: string, user: User | null, password: string): Promise<boolean> {
    try {
      return await this.passwords.matches(user?.passwordHash ?? null, password);
    } catch (error) {
      // Nothing was compared, so it was no try.
      await this.database.write((manager) => this.attempts.giveBack(manager, FAILURES, email));
      throw error;
    }
  }
}
