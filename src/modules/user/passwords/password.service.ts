import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import { bulkhead, BulkheadPolicy, BulkheadRejectedError } from 'cockatiel';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import type { UserEntity } from '../account/user.entity';
import { usernameKey } from '../account/username';

/** argon2id with the parameters of the OWASP password storage cheat sheet: 19 MiB, two passes, one lane. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A hash of no password: salt and hash are random. Checking it takes as long as checking a real one. */
const NOBODYS_HASH = [
  '$argon2id$v=19',
  `m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}`,
  ...[16, 32].map((bytes) => randomBytes(bytes).toString('base64').replaceAll('=', '')),
].join('$');

/** A hash keeps a thread busy for about 30 ms. More at once would be slower and leave no threads for file access. */
const MOST_AT_ONCE = Math.min(4, Math.max(2, availableParallelism()));
const MOST_WAITING = 200;

/**
 * Creates and checks password hashes in separate threads. Passwords must be in NFC, as the DTO fields deliver them. Do
 * not call it inside a transaction, which would have to wait.
 */
@Injectable()
export class PasswordService {
  private readonly limit: BulkheadPolicy = bulkhead(MOST_AT_ONCE, MOST_WAITING);

  /**
   * The rule for new passwords that depends on the account.
   *
   * @throws ValidationFailedError for `field` when the password is the user's name or address
   */
  assertNotIdentity(password: string, user: Pick<UserEntity, 'email' | 'username'>, field: string): void {
    const key = usernameKey(password);
    if (key === usernameKey(user.username)) {
      throw ValidationFailedError.of(field, 'password_is_username');
    }
    if (key === usernameKey(user.email)) {
      throw ValidationFailedError.of(field, 'password_is_email');
    }
  }

  /** @throws ServiceUnavailableError when too many are already waiting */
  hash(password: string): Promise<string> {
    return this.limited(() => hash(password, PARAMETERS));
  }

  /**
   * Whether `stored` is a hash of `password`. It takes the same time if nothing is stored, so that the time does not
   * reveal whether the account exists.
   *
   * @throws ServiceUnavailableError when too many are already waiting
   */
  async matches(stored: string | null, password: string): Promise<boolean> {
    const isRight = await this.limited(() => verify(stored ?? NOBODYS_HASH, password));
    return isRight && stored !== null;
  }

  /** Whether the hash was created with other parameters than the current ones. */
  isOutdated(stored: string): boolean {
    const { memoryCost, timeCost, parallelism } = parseOptions(stored);
    return (
      memoryCost !== PARAMETERS.memoryCost || timeCost !== PARAMETERS.timeCost || parallelism !== PARAMETERS.parallelism
    );
  }

  private async limited<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await this.limit.execute(work);
    } catch (error) {
      throw error instanceof BulkheadRejectedError ? new ServiceUnavailableError(error, 2) : error;
    }
  }
}
