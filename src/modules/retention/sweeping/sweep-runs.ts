import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull, LessThan } from 'typeorm';
import { DomainEvents } from '../../../common/events/domain-events';
import { Lifecycle } from '../../../common/lifecycle';
import { DAY_MILLISECONDS, MINUTE_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { SharedClock } from '../../../database/shared-clock';
import { deleteRows } from '../../../database/statements/delete';
import { findRow, findRows } from '../../../database/statements/find';
import { insertEntity } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { RetentionRunningError } from '../retention.errors';
import { retentionSwept, sweepAudit } from '../retention.events';
import { noneDeleted, noneHeld } from './deleted-counts';
import { RetentionSweepEntity, type SweepStatus } from './retention-sweep.entity';

/** A sweep without a sign of life for this time belongs to a dead instance. */
const LEASE_MILLISECONDS = MINUTE_MILLISECONDS;

/** How long ended sweeps are listed. The audit log keeps those that deleted something for longer. */
const LISTED_MILLISECONDS = 400 * DAY_MILLISECONDS;

/** Another instance took the sweep over, because this one gave no sign of life in time. */
export class SweepLostError extends Error {}

/** The rows of sweeps. A running one is the lease of its instance. */
@Injectable()
export class SweepRuns {
  private readonly instanceId: string;
  /** The sweep of this instance. */
  private currentId: number | null = null;

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly events: DomainEvents,
    lifecycle: Lifecycle,
  ) {
    this.instanceId = lifecycle.instanceId;
    if (!database.isShared) {
      // A SQLite file has one process, so a sweep that runs at its start belongs to a dead process.
      database.onReady(() => this.cutOthers());
    }
  }

  /** @param actorId the administrator; null for the schedule @throws RetentionRunningError */
  async begin(actorId: number | null, policyIds: readonly number[]): Promise<RetentionSweepEntity> {
    await this.cutOthers();
    const now = this.clock.now();
    try {
      const sweep = await this.database.write((manager) =>
        insertEntity(manager, RetentionSweepEntity, {
          trigger: actorId === null ? 'schedule' : 'manual',
          status: 'running',
          slot: 1,
          actorId,
          instanceId: this.instanceId,
          deleted: noneDeleted(),
          held: noneHeld(),
          policyIds,
          startedAt: now,
          seenAt: now,
          endedAt: null,
        }),
      );
      this.currentId = sweep.id;
      return sweep;
    } catch (error) {
      throw isUniqueViolation(error, 'slot') ? new RetentionRunningError() : error;
    }
  }

  /** Renews the lease and stores the counts. @throws SweepLostError */
  async keep({ id, deleted, held }: RetentionSweepEntity): Promise<void> {
    const signs = { seenAt: this.clock.now(), deleted, held };
    const kept = await this.database.write((manager) =>
      updateRows(manager, RetentionSweepEntity, signs, { id, status: 'running' as const }),
    );
    if (kept === 0) {
      throw new SweepLostError();
    }
  }

  async end(sweep: RetentionSweepEntity, status: SweepStatus): Promise<void> {
    this.currentId = null;
    await this.database.write(async (manager) => {
      await this.close(manager, sweep, status);
      const before = new Date(this.clock.now().getTime() - LISTED_MILLISECONDS);
      await deleteRows(manager, RetentionSweepEntity, { startedAt: LessThan(before), slot: IsNull() });
    });
  }

  /** The newest sweep. */
  latest(): Promise<RetentionSweepEntity | null> {
    return findRow(this.database.manager, RetentionSweepEntity, {}, { order: { id: 'DESC' } });
  }

  isAlive({ status, seenAt }: RetentionSweepEntity): boolean {
    return status === 'running' && seenAt.getTime() > this.clock.now().getTime() - LEASE_MILLISECONDS;
  }

  /** Ends sweeps of dead instances, and those of this one whose end could not be stored. */
  private async cutOthers(): Promise<void> {
    const running = await findRows(this.database.manager, RetentionSweepEntity, { status: 'running' });
    const others = running.filter(({ id }) => id !== this.currentId);
    const isOfDead = (sweep: RetentionSweepEntity): boolean =>
      !this.isAlive(sweep) || (!this.database.isShared && sweep.instanceId !== this.instanceId);
    for (const sweep of others.filter(isOfDead)) {
      await this.database.write((manager) => this.close(manager, sweep, 'cut'));
    }
  }

  private async close(manager: EntityManager, sweep: RetentionSweepEntity, status: SweepStatus): Promise<void> {
    const { id, trigger, actorId, deleted, held, policyIds, seenAt } = sweep;
    const ended = { status, slot: null, deleted, held, endedAt: this.clock.now() };
    // A sweep of another instance that has given a sign of life since it was read is not dead.
    const isOwn = sweep.instanceId === this.instanceId;
    const where = { id, status: 'running' as const, ...(!isOwn && { seenAt }) };
    if ((await updateRows(manager, RetentionSweepEntity, ended, where)) === 0) {
      return;
    }
    if (trigger === 'manual' || Object.values(deleted).some((count) => count > 0)) {
      const after = { trigger, status, deleted, held, policies: policyIds };
      const change = { id, userId: null, before: null, after, actorId: actorId ?? undefined };
      await this.events.publish(manager, sweepAudit.change('sweep', change));
      await this.events.publish(manager, retentionSwept(null, { sweep_id: id, deleted }));
    }
  }
}
