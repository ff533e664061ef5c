import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ServiceSecret } from '../../../common/security/service-secret';
import { TextCipher } from '../../../common/security/text-cipher';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { upsertRows } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { AddressHasher } from '../attempts/address-hasher';
import { type AccountClient, codeSubject } from '../clients/account-client';
import { CodeConfig } from './code.config';
import { CodeTries } from './code-tries';
import { CodePurpose, VerificationCodeEntity } from './verification-code.entity';

/** Encrypts valid codes with a key derived from the service secret, so that they can be sent again. */
@Injectable()
export class CodeCipher extends TextCipher {
  constructor(serviceSecret: ServiceSecret) {
    super(serviceSecret.deriveAll('living-codes'));
  }
}

/** Resending extends a code's lifetime, up to this multiple of `CODE_TTL`. */
const MOST_LIVES = 3;

/** A code to be sent. */
export interface IssuedCode {
  code: string;
  expiresAt: Date;
}

/**
 * Creates one-time codes and returns valid ones again. A valid code is never replaced. Otherwise an attacker who keeps
 * requesting codes could invalidate each one before its owner has entered it.
 */
@Injectable()
export class CodeIssuer {
  constructor(
    private readonly clock: Clock,
    private readonly config: CodeConfig,
    private readonly hasher: AddressHasher,
    private readonly cipher: CodeCipher,
    private readonly tries: CodeTries,
  ) {}

  /** Within `Database.write`: the code to send. */
  async issue(manager: EntityManager, client: AccountClient, purpose: CodePurpose): Promise<IssuedCode> {
    const subject = codeSubject(client);
    const rows = await this.lock(manager, subject, purpose);
    for (const row of rows) {
      const code = this.livingCode(row, subject);
      if (code !== null) {
        return { code, expiresAt: await this.prolong(manager, row, client) };
      }
    }
    const [row, ...former] = rows;
    if (former.length > 0) {
      await deleteRows(manager, VerificationCodeEntity, { id: In(former.map(({ id }) => id)) });
    }
    return this.make(manager, row, subject, purpose);
  }

  private async prolong(manager: EntityManager, row: VerificationCodeEntity, client: AccountClient): Promise<Date> {
    const sentAt = this.clock.now();
    const lastEnd = this.endOf(row.firstSentAt ?? sentAt, MOST_LIVES);
    const expiresAt = new Date(Math.min(this.endOf(sentAt).getTime(), lastEnd.getTime()));
    const counted = this.tries.withResend(row, client);
    await updateRows(manager, VerificationCodeEntity, { ...counted, sentAt, expiresAt }, { id: row.id });
    return expiresAt;
  }

  private async make(
    manager: EntityManager,
    row: VerificationCodeEntity,
    subject: string,
    purpose: CodePurpose,
  ): Promise<IssuedCode> {
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    const sentAt = this.clock.now();
    const expiresAt = this.endOf(sentAt);
    await updateRows(
      manager,
      VerificationCodeEntity,
      {
        codeHash: this.hasher.hash('code', purpose, subject, code),
        sealedCode: this.cipher.encrypt(code),
        attempts: 0,
        tries: {},
        firstSentAt: sentAt,
        sentAt,
        expiresAt,
        usedAt: null,
      },
      { id: row.id },
    );
    return { code, expiresAt };
  }

  /**
   * Null if the code is no longer valid, or if it does not match the encrypted one, because an earlier version may have
   * replaced it.
   */
  private livingCode(row: VerificationCodeEntity, subject: string): string | null {
    const { sealedCode, codeHash, purpose, usedAt, expiresAt } = row;
    const hasEnded = usedAt !== null || expiresAt <= this.clock.now() || this.tries.areUsedUp(row);
    if (hasEnded || sealedCode === null || !this.cipher.canDecrypt(sealedCode)) {
      return null;
    }
    const code = this.cipher.decrypt(sealedCode);
    return this.hasher.hashes('code', purpose, subject, code).includes(codeHash) ? code : null;
  }

  private endOf(start: Date, lives = 1): Date {
    return new Date(start.getTime() + lives * this.config.CODE_TTL * 1_000);
  }

  /**
   * Locks the row of the current secret until the transaction ends, followed by the row of the previous secret, if
   * there is one.
   */
  private async lock(
    manager: EntityManager,
    subject: string,
    purpose: CodePurpose,
  ): Promise<[VerificationCodeEntity, ...VerificationCodeEntity[]]> {
    const hashes = this.hasher.hashes('address', subject);
    const read = (): Promise<VerificationCodeEntity[]> =>
      findRows(
        manager,
        VerificationCodeEntity,
        { addressHash: In(hashes), purpose },
        { order: { id: 'ASC' }, lock: 'wait' },
      );
    const isPresent = ({ addressHash }: VerificationCodeEntity): boolean => addressHash === hashes[0];
    let rows = await read();
    if (!rows.some(isPresent)) {
      await this.addRow(manager, hashes[0] ?? '', purpose);
      rows = await read();
    }
    const present = rows.find(isPresent);
    if (!present) {
      throw new Error('The row of a code is gone while it is locked.');
    }
    return [present, ...rows.filter((row) => row !== present)];
  }

  /** Adds a row without a code. If another request is creating the row, this waits for it and changes nothing. */
  private async addRow(manager: EntityManager, addressHash: string, purpose: CodePurpose): Promise<void> {
    const now = this.clock.now();
    const row = { addressHash, purpose, codeHash: '', attempts: 0, sentAt: now, expiresAt: now };
    await upsertRows(manager, VerificationCodeEntity, [row], ['addressHash', 'purpose'], ['purpose']);
  }
}
