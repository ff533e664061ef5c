import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../../database/database';
import { PasswordService, User } from '../../user/user.api';
import { type AccountClient, sharedCounter } from '../clients/account-client';
import { AddressQueue } from './address-queue';
import { AccountLockedError, InvalidCredentialsError } from './attempt.errors';
import { AttemptLog, AttemptRule } from './attempt-log';

/** After this many wrong passwords within 15 minutes, further attempts are refused without a check. */
const FAILURES: AttemptRule = { kind: 'passwords', limits: [{ count: 10, seconds: 900 }] };

/**
 * Checks passwords and limits guessing. Each client that the account knows has its own limit, and all others share one.
 * Addresses with and without an account are treated the same.
 */
@Injectable()
export class PasswordGate {
  constructor(
    private readonly database: Database,
    private readonly passwords: PasswordService,
    private readonly queue: AddressQueue,
    private readonly attempts: AttemptLog,
  ) {}

  /**
   * Returns the user if `password` is correct. The attempt is counted and committed before the comparison, so that
   * concurrent guesses cannot exceed the limit.
   *
   * @param user the account's user; null if there is no account
   * @throws AccountLockedError after ten wrong passwords in 15 minutes
   * @throws InvalidCredentialsError when the password is wrong or there is no user
   * @throws ServiceUnavailableError when too many passwords are being checked
   */
  check(client: AccountClient, user: User | null, password: string): Promise<User> {
    const counter = sharedCounter(client);
    return this.queue.run(counter, async () => {
      const wait = await this.database.write((manager) => this.attempts.take(manager, FAILURES, counter));
      if (wait > 0) {
        throw new AccountLockedError(wait);
      }
      const isRight = await this.compare(counter, user, password);
      if (!user || !isRight) {
        throw new InvalidCredentialsError();
      }
      await this.database.write((manager) => this.attempts.clear(manager, FAILURES.kind, counter));
      return user;
    });
  }

  /**
   * Within `Database.write`: clears the wrong passwords of the client and of unknown clients, because a new password
   * was set.
   */
  async forgive(manager: EntityManager, client: AccountClient): Promise<void> {
    for (const counter of new Set([sharedCounter(client), client.email])) {
      await this.attempts.clear(manager, FAILURES.kind, counter);
    }
  }

  private async compare(counter: string, user: User | null, password: string): Promise<boolean> {
    try {
      return await this.passwords.matches(user?.passwordHash ?? null, password);
    } catch (error) {
      // Nothing was compared, so the attempt does not count.
      await this.database.write((manager) => this.attempts.removeLast(manager, FAILURES, counter));
      throw error;
    }
  }
}
