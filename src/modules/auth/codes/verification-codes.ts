import { randomInt, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EntityManager, In, IsNull, LessThan, MoreThan } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { AddressHasher } from '../attempts/address-hasher';
import { AddressQueue } from '../attempts/address-queue';
import { CodeConfig } from './code.config';
import { InvalidCodeError } from './code.errors';
import { CodeFailures } from './code-failures';
import { CodePurpose, VerificationCodeEntity } from './verification-code.entity';

/** Wrong attempts after which a code stops working. */
const MOST_ATTEMPTS = 5;

/** A code that was right. */
export type CheckedCode = Pick<VerificationCodeEntity, 'id' | 'purpose' | 'codeHash'> & {
  email: string;
  /** Whether it had been used before. */
  isUsed: boolean;
};

/**
 * One-time codes of six digits. An address has at most one for each purpose, the newest. `check` says whether a code is
 * right, `consume` uses it up later, in the transaction of what the code was for.
 */
@Injectable()
export class VerificationCodes {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly config: CodeConfig,
    private readonly hasher: AddressHasher,
    private readonly queue: AddressQueue,
    private readonly failures: CodeFailures,
  ) {}

  /** Within `Database.write`: makes a code in place of the former one. */
  async issue(manager: EntityManager, email: string, purpose: CodePurpose): Promise<{ code: string; expiresAt: Date }> {
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    const [addressHash = '', ...previous] = this.addressHashes(email);
    const sentAt = this.clock.now();
    const expiresAt = new Date(sentAt.getTime() + this.config.CODE_TTL * 1_000);
    const codeHash = this.hasher.hash('code', purpose, email, code);
    const fields = { codeHash, attempts: 0, sentAt, expiresAt, usedAt: null };
    const { affected } = await manager.update(VerificationCodeEntity, { addressHash, purpose }, fields);
    if (affected === 0) {
      await manager.upsert(VerificationCodeEntity, { addressHash, purpose, ...fields }, ['addressHash', 'purpose']);
    }
    if (previous.length > 0) {
      await manager.delete(VerificationCodeEntity, { addressHash: In(previous), purpose });
    }
    return { code, expiresAt };
  }

  /** When the newest code was sent; null when there was none lately. */
  async lastSentAt(manager: EntityManager, email: string, purpose: CodePurpose): Promise<Date | null> {
    const newest = await manager.findOne(VerificationCodeEntity, {
      where: { addressHash: In(this.addressHashes(email)), purpose },
      order: { sentAt: 'DESC' },
    });
    return newest && newest.sentAt;
  }

  /**
   * Checks a code against those of the address. The attempt is counted and committed before the comparison, and taken
   * back when the code is right: only wrong attempts use up a code.
   *
   * @throws InvalidCodeError when the code is none of them.
   */
  check(email: string, purposes: CodePurpose[], code: string): Promise<CheckedCode> {
    return this.queue.run(email, async () => {
      if (await this.failures.areTooMany(email)) {
        throw new InvalidCodeError();
      }
      const candidates = await this.countTry(email, purposes);
      const right = candidates.find(({ purpose, codeHash }) =>
        this.hasher.hashes('code', purpose, email, code).some((hash) => isSame(codeHash, hash)),
      );
      if (!right) {
        if (candidates.length > 0) {
          await this.failures.add(email);
        }
        throw new InvalidCodeError();
      }
      await this.takeTryBack(candidates);
      return { id: right.id, purpose: right.purpose, codeHash: right.codeHash, email, isUsed: right.usedAt !== null };
    });
  }

  /**
   * Within `Database.write`: uses a code up. Of several requests at once, one succeeds.
   *
   * @throws InvalidCodeError when it was used or replaced meanwhile.
   */
  async consume(manager: EntityManager, { id, codeHash, email }: CheckedCode): Promise<void> {
    const { affected } = await manager.update(
      VerificationCodeEntity,
      { id, codeHash, usedAt: IsNull() },
      { usedAt: this.clock.now() },
    );
    if (affected !== 1) {
      throw new InvalidCodeError();
    }
    await this.failures.clear(manager, email);
  }

  private countTry(email: string, purposes: CodePurpose[]): Promise<VerificationCodeEntity[]> {
    const candidates = {
      addressHash: In(this.addressHashes(email)),
      purpose: In(purposes),
      expiresAt: MoreThan(this.clock.now()),
    };
    return this.database.write(async (manager) => {
      const open = await manager.findBy(VerificationCodeEntity, { ...candidates, attempts: LessThan(MOST_ATTEMPTS) });
      const counted: VerificationCodeEntity[] = [];
      for (const row of open) {
        // The condition checks again: other instances may have counted an attempt since the row was read.
        const { affected } = await manager.update(
          VerificationCodeEntity,
          { id: row.id, codeHash: row.codeHash, attempts: LessThan(MOST_ATTEMPTS) },
          { attempts: () => 'attempts + 1' },
        );
        if (affected === 1) {
          counted.push(row);
        }
      }
      return counted;
    });
  }

  private async takeTryBack(counted: VerificationCodeEntity[]): Promise<void> {
    await this.database.write(async (manager) => {
      for (const { id, codeHash } of counted) {
        const isCounted = { id, codeHash, attempts: MoreThan(0) };
        await manager.update(VerificationCodeEntity, isCounted, { attempts: () => 'attempts - 1' });
      }
    });
  }

  /** The hash under which codes are stored now, and behind it that of before the service's secret changed. */
  private addressHashes(email: string): string[] {
    return this.hasher.hashes('address', email);
  }
}

function isSame(left: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(left), Buffer.from(right));
}
