import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type EntityManager, LessThanOrEqual } from 'typeorm';
import { SECOND_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { SharedClock } from '../../../database/shared-clock';
import { deleteRows } from '../../../database/statements/delete';
import { insertRow } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { EmbeddingLeaseEntity } from './embedding.entity';

/** Others continue if a lease was not renewed for this time. */
const LEASE_MILLISECONDS = 10 * SECOND_MILLISECONDS;

const RENEWAL_MILLISECONDS = 3 * SECOND_MILLISECONDS;

/** How often a lease that another has is asked for. */
const LOOK_MILLISECONDS = SECOND_MILLISECONDS;

/** A lease ended before the work was done. */
class LeaseLostError extends Error {}

/**
 * One at a time makes the vectors of an ingestion for a model, over all instances: a job, or the change of the model.
 * Otherwise one would pay for what the other has sent.
 */
@Injectable()
export class EmbeddingLeases {
  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
  ) {
    if (!database.isShared) {
      // A SQLite file has one process, so leases that exist at its start belong to a dead process.
      database.onReady(() =>
        this.database.write(async (manager) => void (await deleteRows(manager, EmbeddingLeaseEntity, {}))),
      );
    }
  }

  /** Waits for the lease, and runs with it. @param run its signal also ends with the lease */
  async with<Result>(
    ingestionId: number,
    generation: number,
    signal: AbortSignal,
    run: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const key = { ingestionId, generation };
    const own = { ...key, owner: randomUUID() };
    while (!(await this.take(own))) {
      await pause(LOOK_MILLISECONDS, undefined, { signal });
    }
    const lost = new AbortController();
    const timer = setInterval(() => void this.renew(own, lost), RENEWAL_MILLISECONDS);
    try {
      return await run(AbortSignal.any([signal, lost.signal]));
    } finally {
      clearInterval(timer);
      await this.database.write((manager) => deleteRows(manager, EmbeddingLeaseEntity, own));
    }
  }

  /** Removes leases of processes that have died. */
  async forgetEnded(manager: EntityManager): Promise<void> {
    await deleteRows(manager, EmbeddingLeaseEntity, { leasedUntil: LessThanOrEqual(this.clock.now()) });
  }

  private async take(own: Pick<EmbeddingLeaseEntity, 'ingestionId' | 'generation' | 'owner'>): Promise<boolean> {
    const { ingestionId, generation, owner } = own;
    const now = this.clock.now();
    const leasedUntil = new Date(now.getTime() + LEASE_MILLISECONDS);
    try {
      await this.database.write((manager) => insertRow(manager, EmbeddingLeaseEntity, { ...own, leasedUntil }));
      return true;
    } catch (error) {
      if (!isUniqueViolation(error)) {
        throw error;
      }
    }
    const ended = { ingestionId, generation, leasedUntil: LessThanOrEqual(now) };
    const change = (manager: EntityManager): Promise<number> =>
      updateRows(manager, EmbeddingLeaseEntity, { owner, leasedUntil }, ended);
    return (await this.database.write(change)) > 0;
  }

  private async renew(
    own: Pick<EmbeddingLeaseEntity, 'ingestionId' | 'generation' | 'owner'>,
    lost: AbortController,
  ): Promise<void> {
    const leasedUntil = new Date(this.clock.now().getTime() + LEASE_MILLISECONDS);
    try {
      const isOwn = await this.database.write((manager) =>
        updateRows(manager, EmbeddingLeaseEntity, { leasedUntil }, own),
      );
      if (isOwn === 0) {
        lost.abort(new LeaseLostError());
      }
    } catch {
      // The database is away. The next renewal shows whether the lease has ended.
    }
  }
}
