import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type EntityManager, In, LessThanOrEqual } from 'typeorm';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { SharedClock } from '../../../database/shared-clock';
import { findRow, findRows } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { queryRows } from '../../../database/statements/query';
import { execute } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import { UserDirectoryQuery } from '../../user/user.api';
import { KnowledgeJobEntity } from '../tables/knowledge-job.entity';
import { IngestionTurnEntity } from './ingestion-turn.entity';

/** Other instances continue a job whose lease was not renewed for this time. */
const LEASE_MILLISECONDS = 10_000;

/** Owners that are examined for one claim. */
const OWNERS = 200;

/** Owners with due jobs, those first who were served longest ago. */
const WAITING = `SELECT waiting.owner_id AS ownerId, waiting.job_id AS jobId FROM
  (SELECT COALESCE(owner_id, 0) AS owner_id, MIN(id) AS job_id FROM knowledge_jobs
    WHERE state = 'queued' AND next_at <= ? GROUP BY COALESCE(owner_id, 0)) waiting
  LEFT JOIN knowledge_turns turn ON turn.owner_id = waiting.owner_id
  WHERE turn.job_id IS NULL
  ORDER BY CASE WHEN turn.served_at IS NULL THEN 0 ELSE 1 END, turn.served_at, waiting.job_id LIMIT ${OWNERS}`;

const FREE_TURN = 'UPDATE knowledge_turns SET job_id = NULL WHERE job_id = ?';

/** Turns whose job is not leased by a living instance. */
const FREE_LEFT_TURNS = `UPDATE knowledge_turns SET job_id = NULL WHERE job_id IS NOT NULL AND NOT EXISTS
  (SELECT 1 FROM knowledge_jobs WHERE knowledge_jobs.id = knowledge_turns.job_id AND state = 'running')`;

/** A job waits for its owner while the owner may not send requests. */
const FREE_UNUSED_TURNS = `DELETE FROM knowledge_turns WHERE job_id IS NULL AND NOT EXISTS
  (SELECT 1 FROM knowledge_jobs WHERE COALESCE(knowledge_jobs.owner_id, 0) = knowledge_turns.owner_id)`;

/**
 * Takes jobs for this instance. A lease outlives the transaction; the row of an owner in `knowledge_turns` allows one
 * job of that owner over all instances.
 */
@Injectable()
export class JobClaims {
  /** Identifies this process in leases. */
  private readonly leaseOwner = randomUUID();

  constructor(
    private readonly database: Database,
    private readonly users: UserDirectoryQuery,
    private readonly clock: SharedClock,
  ) {
    if (!database.isShared) {
      // A SQLite file has one process, so leases that exist at its start belong to a dead process.
      database.onReady(() => this.database.write((manager) => this.freeJobs(manager, {})));
    }
  }

  /** Takes up to `most` due jobs. */
  async claim(most: number): Promise<KnowledgeJobEntity[]> {
    const now = this.clock.now();
    await this.freeLeft(now);
    const waiting = await queryRows<{ ownerId: number; jobId: number }>(this.database.manager, WAITING, [now]);
    if (waiting.length === 0) {
      return [];
    }
    const withoutAccess = await this.users.withoutAccess(
      waiting.map(({ ownerId }) => ownerId).filter((ownerId) => ownerId !== 0),
    );
    const claimed: KnowledgeJobEntity[] = [];
    for (const { ownerId, jobId } of waiting) {
      if (claimed.length < most && !withoutAccess.has(ownerId)) {
        const job = await this.take(ownerId, jobId);
        claimed.push(...(job === null ? [] : [job]));
      }
    }
    return claimed;
  }

  /** Keeps a job for this instance. False: it ended, because its file or entry is gone, or its owner lost access. */
  async renew({ id, ownerId }: Pick<KnowledgeJobEntity, 'id' | 'ownerId'>): Promise<boolean> {
    if (ownerId !== null && (await this.users.withoutAccess([ownerId])).has(ownerId)) {
      return false;
    }
    const leaseUntil = new Date(this.clock.now().getTime() + LEASE_MILLISECONDS);
    const own = { id, leaseOwner: this.leaseOwner };
    return (await this.database.write((manager) => updateRows(manager, KnowledgeJobEntity, { leaseUntil }, own))) > 0;
  }

  /** Puts a job back, so that any instance may take it from `nextAt` on. It may be gone. */
  async release(id: number, changes: { attempts?: number; nextAt?: Date } = {}): Promise<void> {
    await this.database.write(async (manager) => {
      const released = { state: 'queued' as const, leaseOwner: null, leaseUntil: null, ...changes };
      await updateRows(manager, KnowledgeJobEntity, released, { id, leaseOwner: this.leaseOwner });
      await this.end(manager, id);
    });
  }

  /** After a job has ended: its owner has the next turn. */
  async end(manager: EntityManager, id: number): Promise<void> {
    await execute(manager, FREE_TURN, [id]);
    await execute(manager, FREE_UNUSED_TURNS, []);
  }

  private async take(ownerId: number, id: number): Promise<KnowledgeJobEntity | null> {
    try {
      return await this.database.write((manager) => this.lease(manager, ownerId, id));
    } catch (error) {
      if (isUniqueViolation(error)) {
        // Another instance took a job of the same owner.
        return null;
      }
      throw error;
    }
  }

  private async lease(manager: EntityManager, ownerId: number, id: number): Promise<KnowledgeJobEntity | null> {
    const now = this.clock.now();
    const turn = { jobId: id, servedAt: now };
    const isFree = await updateRows(manager, IngestionTurnEntity, turn, 'owner_id = ? AND job_id IS NULL', [ownerId]);
    if (isFree === 0) {
      await insertRow(manager, IngestionTurnEntity, { ownerId, ...turn });
    }
    const lease = {
      state: 'running' as const,
      leaseOwner: this.leaseOwner,
      leaseUntil: new Date(now.getTime() + LEASE_MILLISECONDS),
    };
    if ((await updateRows(manager, KnowledgeJobEntity, lease, { id, state: 'queued' })) === 0) {
      await this.end(manager, id);
      return null;
    }
    return findRow(manager, KnowledgeJobEntity, { id });
  }

  private async freeLeft(now: Date): Promise<void> {
    const left = { state: 'running' as const, leaseUntil: LessThanOrEqual(now) };
    if ((await findRow(this.database.manager, KnowledgeJobEntity, left, { members: ['id'] })) !== null) {
      await this.database.write((manager) => this.freeJobs(manager, left));
    }
  }

  private async freeJobs(manager: EntityManager, left: { leaseUntil?: unknown }): Promise<void> {
    const jobs = await findRows(manager, KnowledgeJobEntity, { ...(left as object), state: 'running' as const });
    if (jobs.length > 0) {
      const ids = In(jobs.map(({ id }) => id));
      const freed = { state: 'queued' as const, leaseOwner: null, leaseUntil: null };
      await updateRows(manager, KnowledgeJobEntity, freed, { id: ids, ...(left as object) });
    }
    await execute(manager, FREE_LEFT_TURNS, []);
  }
}
