import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EntityManager, In, IsNull, MoreThan } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { updateRows } from '../../../database/statements/update';
import { AddressHasher } from '../attempts/address-hasher';
import { AddressQueue } from '../attempts/address-queue';
import { type AccountClient, codeSubject, ownCounter } from '../clients/account-client';
import { InvalidCodeError } from './code.errors';
import { CodeFailures } from './code-failures';
import { CodeTries } from './code-tries';
import { CodePurpose, VerificationCodeEntity } from './verification-code.entity';

/** A code that was correct. */
export type CheckedCode = Pick<VerificationCodeEntity, 'id' | 'purpose' | 'codeHash'> & {
  client: AccountClient;
  /** Whether it was used before. */
  isUsed: boolean;
};

/**
 * One-time codes of six digits. An address has at most one per purpose, which `CodeIssuer` creates. `check` verifies a
 * code. `consume` uses it up later, in the transaction of the action that it authorizes.
 */
@Injectable()
export class VerificationCodes {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly hasher: AddressHasher,
    private readonly queue: AddressQueue,
    private readonly failures: CodeFailures,
    private readonly tries: CodeTries,
  ) {}

  /** Within `Database.write`: deletes all codes of an address, because it no longer belongs to its account. */
  async end(manager: EntityManager, email: string): Promise<void> {
    await deleteRows(manager, VerificationCodeEntity, { addressHash: In(this.hasher.hashes('address', email)) });
  }

  /**
   * Checks a code against those of the address. The attempt is counted and committed before the comparison, and removed
   * if the code is correct, so that only wrong attempts use up a code.
   *
   * @throws InvalidCodeError when no code matches
   */
  check(client: AccountClient, purposes: CodePurpose[], code: string): Promise<CheckedCode> {
    return this.queue.run(ownCounter(client), async () => {
      if (await this.failures.areTooMany(client)) {
        throw new InvalidCodeError();
      }
      const candidates = await this.countTry(client, purposes);
      const right = candidates.find(({ purpose, codeHash }) =>
        this.hasher.hashes('code', purpose, codeSubject(client), code).some((hash) => isSame(codeHash, hash)),
      );
      if (!right) {
        if (candidates.length > 0) {
          await this.failures.add(client);
        }
        throw new InvalidCodeError();
      }
      await this.takeTryBack(client, candidates);
      return { id: right.id, purpose: right.purpose, codeHash: right.codeHash, client, isUsed: right.usedAt !== null };
    });
  }

  /**
   * Within `Database.write`: uses up a code. Of several concurrent requests, one succeeds.
   *
   * @throws InvalidCodeError when the code was used or replaced since the check
   */
  async consume(manager: EntityManager, { id, codeHash, client }: CheckedCode): Promise<void> {
    const affected = await updateRows(
      manager,
      VerificationCodeEntity,
      { usedAt: this.clock.now(), sealedCode: null },
      { id, codeHash, usedAt: IsNull() },
    );
    if (affected !== 1) {
      throw new InvalidCodeError();
    }
    await this.failures.clear(manager, client);
  }

  /** Counts an attempt at each code that the client may still try. Returns these codes. */
  private countTry(client: AccountClient, purposes: CodePurpose[]): Promise<VerificationCodeEntity[]> {
    const where = {
      addressHash: In(this.hasher.hashes('address', codeSubject(client))),
      purpose: In(purposes),
      expiresAt: MoreThan(this.clock.now()),
    };
    return this.database.write(async (manager) => {
      const open = await findRows(manager, VerificationCodeEntity, where, { order: { id: 'ASC' }, lock: 'wait' });
      const counted: VerificationCodeEntity[] = [];
      for (const row of open) {
        const change = this.tries.withAttempt(row, client);
        if (change) {
          await updateRows(manager, VerificationCodeEntity, change, { id: row.id });
          counted.push(row);
        }
      }
      return counted;
    });
  }

  private async takeTryBack(client: AccountClient, counted: VerificationCodeEntity[]): Promise<void> {
    await this.database.write(async (manager) => {
      const where = counted.map(({ id, codeHash }) => ({ id, codeHash }));
      for (const row of await findRows(manager, VerificationCodeEntity, where, {
        order: { id: 'ASC' },
        lock: 'wait',
      })) {
        await updateRows(manager, VerificationCodeEntity, this.tries.withoutAttempt(row, client), { id: row.id });
      }
    });
  }
}

function isSame(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}
