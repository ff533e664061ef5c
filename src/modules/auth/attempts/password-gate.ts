import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../../database/database';
import { PasswordService, User } from '../../user/user.api';
import { AddressQueue } from './address-queue';
import { AccountLockedError, InvalidCredentialsError } from './attempt.errors';
import { AttemptLog, AttemptRule } from './attempt-log';

/** After so many wrong passwords in a quarter of an hour, further passwords of the address are not even checked. */
const FAILURES: AttemptRule = { kind: 'passwords', limits: [{ count: 10, seconds: 900 }] };

/** Checks passwords and stops those who guess them. Treats known and unknown addresses the same. */
@Injectable()
export class PasswordGate {
  constructor(
    private readonly database: Database,
    private readonly passwords: PasswordService,
    private readonly queue: AddressQueue,
    private readonly attempts: AttemptLog,
  ) {}

  /**
   * Returns the user when `password` is right. The attempt is counted and committed before the comparison, so that many
   * guesses at once cannot pass the limit.
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
      // Nothing was compared, so it was no guess.
      await this.database.write((manager) => this.attempts.giveBack(manager, FAILURES, email));
      throw error;
    }
  }
}
