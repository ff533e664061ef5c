import { Injectable } from '@nestjs/common';
import { DAY_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { SharedClock } from '../../../database/shared-clock';
import { deleteRows } from '../../../database/statements/delete';
import { findRow } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { AnthropicAnswerEntity } from './answer.entity';

/** How long a request belongs to an instance that gives no sign of life. */
const LEASE_MILLISECONDS = 20_000;

/** Identifies a request. */
export interface AnswerKey {
  userId: number;
  key: string;
}

/** A stored response. */
export type StoredAnswer = Pick<AnthropicAnswerEntity, 'contentType' | 'requestId'> & { body: Buffer };

/** The state of a key: free for this request, which then has the id; in use by a running request; or answered. */
export type ClaimedKey =
  | { state: 'claimed'; id: number }
  | { state: 'running'; fingerprint: string }
  | { state: 'stored'; fingerprint: string; answer: StoredAnswer };

/** The table of responses. */
@Injectable()
export class AnswerStore {
  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
  ) {}

  /** Takes a key if no other request has it. Keys of dead instances, and those older than a day, are free. */
  async claim({ userId, key }: AnswerKey, fingerprint: string): Promise<ClaimedKey> {
    const known = await findRow(this.database.manager, AnthropicAnswerEntity, { userId, key });
    if (known !== null && !this.isFree(known)) {
      const { fingerprint: before, body, contentType, requestId } = known;
      return body === null
        ? { state: 'running', fingerprint: before }
        : { state: 'stored', fingerprint: before, answer: { body: Buffer.from(body), contentType, requestId } };
    }
    try {
      const now = this.clock.now();
      const row = { userId, key, fingerprint, leasedUntil: this.leaseEnd, createdAt: now };
      const id = await this.database.write(async (manager) => {
        if (known !== null) {
          await deleteRows(manager, AnthropicAnswerEntity, { id: known.id });
        }
        const nothing = { body: null, contentType: null, requestId: null };
        return insertRow(manager, AnthropicAnswerEntity, { ...row, ...nothing });
      });
      return { state: 'claimed', id };
    } catch (error) {
      if (isUniqueViolation(error, 'anthropic_answers')) {
        // Another request with the key was faster. It has the same body in all but faulty clients.
        return { state: 'running', fingerprint };
      }
      throw error;
    }
  }

  /** Shows that the request is still served. */
  async extend(id: number): Promise<void> {
    const leasedUntil = this.leaseEnd;
    await this.database.write((manager) => updateRows(manager, AnthropicAnswerEntity, { leasedUntil }, { id }));
  }

  /** Stores the response. */
  async keep(id: number, answer: StoredAnswer): Promise<void> {
    const columns = { ...answer, leasedUntil: null };
    await this.database.write((manager) => updateRows(manager, AnthropicAnswerEntity, columns, { id }));
  }

  /** Frees the key of a request that failed or was cut off. */
  async free(id: number): Promise<void> {
    await this.database.write((manager) => deleteRows(manager, AnthropicAnswerEntity, { id }));
  }

  /** Deletes what expired. */
  async purge(): Promise<void> {
    const { expiredAt } = this;
    await this.database.write((manager) => deleteRows(manager, AnthropicAnswerEntity, 'created_at <= ?', [expiredAt]));
  }

  private isFree({ createdAt, leasedUntil }: AnthropicAnswerEntity): boolean {
    return createdAt <= this.expiredAt || (leasedUntil !== null && leasedUntil <= this.clock.now());
  }

  private get leaseEnd(): Date {
    return new Date(this.clock.now().getTime() + LEASE_MILLISECONDS);
  }

  private get expiredAt(): Date {
    return new Date(this.clock.now().getTime() - DAY_MILLISECONDS);
  }
}
