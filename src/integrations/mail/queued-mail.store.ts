import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EntityManager, In, LessThanOrEqual, MoreThan } from 'typeorm';
import { Database } from '../../database/database';
import { SharedClock } from '../../database/shared-clock';
import { deleteRows } from '../../database/statements/delete';
import { countRows, findRows, rowExists } from '../../database/statements/find';
import { insertRow } from '../../database/statements/insert';
import { updateRows } from '../../database/statements/update';
import { QueuedMailEntity } from './queued-mail.entity';

/** How long a claim holds before another worker may take the mail. No delivery lasts as long. */
const CLAIM_MILLISECONDS = 120_000;

/** The mails that a worker took, and when the next mail is due. */
export interface ClaimedMails {
  mails: QueuedMailEntity[];
  nextDueAt: Date | null;
}

/** A mail without the fields that the queue itself manages. */
export type NewMail = Pick<QueuedMailEntity, 'kind' | 'recipient' | 'language' | 'payload' | 'dedupeKey' | 'expiresAt'>;

/** The table of waiting mails, which several instances share. */
@Injectable()
export class QueuedMailStore {
  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
  ) {}

  /** Adds a mail in the caller's transaction. It replaces one that waits under the same key. */
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

  /** Takes up to `most` due mails for this worker alone and drops expired ones. */
  async claim(most: number): Promise<ClaimedMails> {
    const now = this.clock.now();
    const waiting = await findRows(
      this.database.manager,
      QueuedMailEntity,
      {},
      { members: ['id', 'dueAt', 'expiresAt'], order: { dueAt: 'ASC', id: 'ASC' }, limit: most + 1 },
    );
    const due = waiting.filter(({ dueAt }) => dueAt <= now).slice(0, most);
    const nextDueAt = waiting[due.length]?.dueAt ?? null;
    if (due.length === 0) {
      return { mails: [], nextDueAt };
    }
    const mails = await this.database.write((manager) => this.take(manager, due, now));
    return { mails, nextDueAt };
  }

  /** Puts a claimed mail back until `dueAt`, unless another worker has taken it in the meantime. */
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

  /** Drops mails that have become useless; for times when nothing is claimed. */
  async removeExpired(): Promise<void> {
    const expiresAt = LessThanOrEqual(this.clock.now());
    if (await rowExists(this.database.manager, QueuedMailEntity, { expiresAt })) {
      await this.database.write((manager) => deleteRows(manager, QueuedMailEntity, { expiresAt }));
    }
  }

  private async take(
    manager: EntityManager,
    due: Pick<QueuedMailEntity, 'id' | 'expiresAt'>[],
    now: Date,
  ): Promise<QueuedMailEntity[]> {
    const expired = due.filter(({ expiresAt }) => expiresAt <= now).map(({ id }) => id);
    if (expired.length > 0) {
      await deleteRows(manager, QueuedMailEntity, { id: In(expired) });
    }
    const claimToken = randomUUID();
    // The condition on the due time decides between workers. The first update changes the time, so the second one finds
    // no row.
    const ids = due.map(({ id }) => id);
    const claim = { claimToken, dueAt: new Date(now.getTime() + CLAIM_MILLISECONDS) };
    const stillDue = { id: In(ids), dueAt: LessThanOrEqual(now), expiresAt: MoreThan(now) };
    const taken = await updateRows(manager, QueuedMailEntity, claim, stillDue, [], { attempts: 1 });
    return taken === 0 ? [] : findRows(manager, QueuedMailEntity, { claimToken }, { order: { id: 'ASC' } });
  }
}
