import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EntityManager, In, LessThanOrEqual, MoreThan } from 'typeorm';
import { Database } from '../../database/database';
import { SharedClock } from '../../database/shared-clock';
import { deleteRows } from '../../database/statements/delete';
import { countRows, findRows } from '../../database/statements/find';
import { insertRow } from '../../database/statements/insert';
import { updateRows } from '../../database/statements/update';
import { QueuedMailEntity } from './queued-mail.entity';

/** How long a claim lasts before another worker may take the mail. No delivery takes as long. */
const CLAIM_MILLISECONDS = 120_000;

/** Most expired mails dropped at once. The others are dropped the next time. */
const EXPIRED_AT_ONCE = 100;

/** A mail that expired without being sent. */
export type DroppedMail = Pick<QueuedMailEntity, 'id' | 'kind'>;

/** The mails that a worker claimed, when the next mail is due, and the expired mails. */
export interface ClaimedMails {
  mails: QueuedMailEntity[];
  nextDueAt: Date | null;
  expired: DroppedMail[];
}

/** A mail without the fields that the queue itself manages. */
export type NewMail = Pick<QueuedMailEntity, 'kind' | 'recipient' | 'language' | 'payload' | 'dedupeKey' | 'expiresAt'>;

/** The table of queued mails, which several instances share. */
@Injectable()
export class QueuedMailStore {
  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
  ) {}

  /** Adds a mail in the caller's transaction. It replaces a mail that waits under the same key. */
  async add(manager: EntityManager, mail: NewMail): Promise<void> {
    const now = this.clock.now();
    if (mail.dedupeKey !== null) {
      // Reads first, because a delete that finds nothing would lock a gap on MySQL and block other inserts.
      const older = await findRows(manager, QueuedMailEntity, { dedupeKey: mail.dedupeKey }, { members: ['id'] });
      if (older.length > 0) {
        await deleteRows(manager, QueuedMailEntity, { id: In(older.map(({ id }) => id)) });
      }
    }
    await insertRow(manager, QueuedMailEntity, {
      ...mail,
      messageId: randomUUID(),
      attempts: 0,
      claimToken: null,
      dueAt: now,
      createdAt: now,
    });
  }

  /** Mails that wait or are being sent. */
  count(): Promise<number> {
    return countRows(this.database.manager, QueuedMailEntity, {});
  }

  /** Claims up to `most` due mails for this worker and drops expired ones. */
  async claim(most: number): Promise<ClaimedMails> {
    const now = this.clock.now();
    const waiting = await findRows(
      this.database.manager,
      QueuedMailEntity,
      {},
      { members: ['id', 'kind', 'dueAt', 'expiresAt'], order: { dueAt: 'ASC', id: 'ASC' }, limit: most + 1 },
    );
    const due = waiting.filter(({ dueAt }) => dueAt <= now).slice(0, most);
    const nextDueAt = waiting[due.length]?.dueAt ?? null;
    if (due.length === 0) {
      return { mails: [], nextDueAt, expired: [] };
    }
    return { ...(await this.database.write((manager) => this.take(manager, due, now))), nextDueAt };
  }

  /** Releases a claimed mail until `dueAt`, unless another worker has claimed it since. */
  async postpone({ id, claimToken }: QueuedMailEntity, dueAt: Date): Promise<void> {
    await this.database.write((manager) =>
      updateRows(manager, QueuedMailEntity, { dueAt, claimToken: null }, 'id = ? AND claim_token = ?', [
        id,
        claimToken,
      ]),
    );
  }

  async remove(ids: number[]): Promise<void> {
    await this.database.write((manager) => deleteRows(manager, QueuedMailEntity, { id: In(ids) }));
  }

  /** Drops mails that have become useless, for times when nothing is claimed. */
  async removeExpired(): Promise<DroppedMail[]> {
    const expired = await findRows(
      this.database.manager,
      QueuedMailEntity,
      { expiresAt: LessThanOrEqual(this.clock.now()) },
      { members: ['id', 'kind'], limit: EXPIRED_AT_ONCE },
    );
    return expired.length === 0 ? [] : this.database.write((manager) => this.drop(manager, expired));
  }

  private async take(
    manager: EntityManager,
    due: Pick<QueuedMailEntity, 'id' | 'kind' | 'expiresAt'>[],
    now: Date,
  ): Promise<Omit<ClaimedMails, 'nextDueAt'>> {
    const expired = await this.drop(
      manager,
      due.filter(({ expiresAt }) => expiresAt <= now),
    );
    const claimToken = randomUUID();
    // The condition on the due time decides between workers. The first update changes the time, so a concurrent one
    // finds no row.
    const ids = due.map(({ id }) => id);
    const claim = { claimToken, dueAt: new Date(now.getTime() + CLAIM_MILLISECONDS) };
    const stillDue = { id: In(ids), dueAt: LessThanOrEqual(now), expiresAt: MoreThan(now) };
    const taken = await updateRows(manager, QueuedMailEntity, claim, stillDue, [], { attempts: 1 });
    const mails =
      taken === 0 ? [] : await findRows(manager, QueuedMailEntity, { claimToken }, { order: { id: 'ASC' } });
    return { mails, expired };
  }

  /** @returns the mails that no other worker had dropped */
  private async drop(manager: EntityManager, mails: readonly DroppedMail[]): Promise<DroppedMail[]> {
    const dropped: DroppedMail[] = [];
    for (const { id, kind } of mails) {
      if ((await deleteRows(manager, QueuedMailEntity, { id })) > 0) {
        dropped.push({ id, kind });
      }
    }
    return dropped;
  }
}
