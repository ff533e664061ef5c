import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type EntityManager, In, LessThanOrEqual } from 'typeorm';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { SharedClock } from '../../../database/shared-clock';
import { findRow, findRows } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { queryRows } from '../../../database/statements/query';
import { findLocked, lockRows } from '../../../database/statements/row-lock';
import { execute } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import { mayCallSql, UserDirectoryQuery } from '../../user/user.api';
import { KnowledgeEntryEntity } from '../tables/knowledge-entry.entity';
import { KnowledgeJobEntity } from '../tables/knowledge-job.entity';
import { IngestionTurnEntity } from './ingestion-turn.entity';

/** Other instances continue a job whose lease was not renewed for this time. */
const LEASE_MILLISECONDS = 10_000;

/** Owners that are examined for one claim. */
const OWNERS = 200;

/** The job is gone, because its file or entry is; or another instance continues it. */
export class JobGoneError extends Error {}

/**
 * Owners with due jobs, those first who were served longest ago. A job waits for its owner while the owner may not send
 * requests. Files that are to be read come before vectors that are missing.
 */
const WAITING = `SELECT waiting.owner_id AS ownerId, waiting.job_id AS jobId FROM
  (SELECT COALESCE(owner_id, 0) AS owner_id, COALESCE(MIN(CASE WHEN kind = 'ingest' THEN id END), MIN(id)) AS job_id
    FROM knowledge_jobs
    WHERE state = 'queued' AND next_at <= ? GROUP BY COALESCE(owner_id, 0)) waiting
  LEFT JOIN knowledge_turns turn ON turn.owner_id = waiting.owner_id
  WHERE turn.job_id IS NULL AND (waiting.owner_id = 0 OR ${mayCallSql('waiting.owner_id').replace(':now', '?')})
  ORDER BY CASE WHEN turn.served_at IS NULL THEN 0 ELSE 1 END, turn.served_at, waiting.job_id LIMIT ${OWNERS}`;

const FREE_TURN = `UPDATE knowledge_turns SET job_id = NULL WHERE owner_id = ? AND job_id = ? AND NOT EXISTS
  (SELECT 1 FROM knowledge_jobs WHERE knowledge_jobs.id = knowledge_turns.job_id AND state = 'running')`;

/** Turns whose job is not leased by a living instance. */
const FREE_LEFT_TURNS = `UPDATE knowledge_turns SET job_id = NULL WHERE job_id IS NOT NULL AND NOT EXISTS
  (SELECT 1 FROM knowledge_jobs WHERE knowledge_jobs.id = knowledge_turns.job_id AND state = 'running')`;

const REMOVE_TURN = 'DELETE FROM knowledge_turns WHERE owner_id = ? AND job_id IS NULL AND NOT EXISTS ';
const JOB_OF_USER = '(SELECT 1 FROM knowledge_jobs WHERE knowledge_jobs.owner_id = ?)';
const JOB_OF_SERVICE = '(SELECT 1 FROM knowledge_jobs WHERE knowledge_jobs.owner_id IS NULL)';

/** A job that was taken. */
export type ClaimedJob = Pick<KnowledgeJobEntity, 'id' | 'entryId' | 'ownerId' | 'leaseOwner'>;

/**
 * Takes jobs for this instance. A lease outlives the transaction, and `leaseOwner` names one claim, so that an instance
 * that was thought dead changes nothing. The row of an owner in `knowledge_turns` allows one job of that owner over all
 * instances.
 */
@Injectable()
export class JobClaims {
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
    const waiting = await queryRows<{ ownerId: number; jobId: number }>(this.database.manager, WAITING, [now, now]);
    const claimed: KnowledgeJobEntity[] = [];
    for (const { ownerId, jobId } of waiting) {
      if (claimed.length < most) {
        const job = await this.take(ownerId, jobId);
        claimed.push(...(job === null ? [] : [job]));
      }
    }
    return claimed;
  }

  /** Keeps a job for this instance. False: it ended, because its file or entry is gone, or its owner lost access. */
  async renew({ ownerId, ...job }: ClaimedJob): Promise<boolean> {
    if (ownerId !== null && (await this.users.withoutAccess([ownerId])).has(ownerId)) {
      return false;
    }
    const leaseUntil = new Date(this.clock.now().getTime() + LEASE_MILLISECONDS);
    const renew = (manager: EntityManager): Promise<number> =>
      updateRows(manager, KnowledgeJobEntity, { leaseUntil }, claimOf(job));
    return (await this.database.write(renew)) > 0;
  }

  /** Puts a job back, so that any instance may take it from `nextAt` on. It may be gone. */
  async release(job: ClaimedJob, changes: { attempts?: number; nextAt?: Date } = {}): Promise<void> {
    await this.database.write(async (manager) => {
      const released = { state: 'queued' as const, leaseOwner: null, leaseUntil: null, ...changes };
      await updateRows(manager, KnowledgeJobEntity, released, claimOf(job));
      await this.end(manager, job);
    });
  }

  /**
   * Whether this claim still counts. If so, entry and job are locked, and the job can be neither removed nor taken before
   * the transaction ends.
   */
  async holds(manager: EntityManager, job: ClaimedJob): Promise<boolean> {
    // The entry first, as in a deletion.
    await lockRows(manager, KnowledgeEntryEntity, [job.entryId]);
    return (await findLocked(manager, KnowledgeJobEntity, claimOf(job))) !== null;
  }

  /** Before a result is stored, in its transaction. @throws JobGoneError if the claim does not count any more */
  async hold(manager: EntityManager, job: ClaimedJob): Promise<void> {
    if (!(await this.holds(manager, job))) {
      throw new JobGoneError();
    }
  }

  /** After a job has ended: its owner has the next turn. Without effect while the job runs elsewhere. */
  async end(manager: EntityManager, { id, ownerId }: Pick<ClaimedJob, 'id' | 'ownerId'>): Promise<void> {
    await execute(manager, FREE_TURN, [ownerId ?? 0, id]);
    await (ownerId === null
      ? execute(manager, REMOVE_TURN + JOB_OF_SERVICE, [0])
      : execute(manager, REMOVE_TURN + JOB_OF_USER, [ownerId, ownerId]));
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
      // Another one for each claim.
      leaseOwner: randomUUID(),
      leaseUntil: new Date(now.getTime() + LEASE_MILLISECONDS),
    };
    if ((await updateRows(manager, KnowledgeJobEntity, lease, { id, state: 'queued' })) === 0) {
      await this.end(manager, { id, ownerId: ownerId === 0 ? null : ownerId });
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

function claimOf({ id, leaseOwner }: Pick<ClaimedJob, 'id' | 'leaseOwner'>): { id: number; leaseOwner: string } {
  return { id, leaseOwner: leaseOwner ?? '' };
}
