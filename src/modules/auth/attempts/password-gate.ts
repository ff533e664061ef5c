import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../../database/database';
import { PasswordService, User } from '../../user/user.api';
import { type AccountClient, sharedCounter } from '../clients/account-client';
import { AddressQueue } from './address-queue';
import { AccountLockedError, InvalidCredentialsError } from './attempt.errors';
import { AttemptLog, AttemptRule } from './attempt-log';

/** After so many wrong passwords in a quarter of an hour, further ones are not even checked. */
const FAILURES: AttemptRule = { kind: 'passwords', limits: [{ count: 10, seconds: 900 }] };

/**
 * Checks passwords and stops those who guess them: a client that the account knows by itself, all others together. Treats
 * addresses with and without an account the same.
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
   * Returns the user when `password` is right. The attempt is counted and committed before the comparison, so that many
   * guesses at once cannot pass the limit.
   *
   * @param user whose account it is; null when there is none
   * @throws AccountLockedError after ten wrong passwords in 15 minutes.
   * @throws InvalidCredentialsError when the password is wrong or there is no user.
   * @throws ServiceUnavailableError when too many passwords are being checked.
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

  /** Within `Database.write`: forgets the wrong passwords of the client and of strangers, because there is a new one. */
  async forgive(manager: EntityManager, client: AccountClient): Promise<void> {
    for (const counter of new Set([sharedCounter(client), client.email])) {
      await this.attempts.clear(manager, FAILURES.kind, counter);
    }
  }

  private async compare(counter: string, user: User | null, password: string): Promise<boolean> {
    try {
      return await this.passwords.matches(user?.passwordHash ?? null, password);
    } catch (error) {
      // Nothing was compared, so it was no guess.
      await this.database.write((manager) => this.attempts.giveBack(manager, FAILURES, counter));
      throw error;
    }
  }
}
