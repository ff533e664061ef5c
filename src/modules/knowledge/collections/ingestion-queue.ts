import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { insertBatch, insertRows } from '../../../database/statements/insert';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { KnowledgeBatchEntryEntity } from '../tables/knowledge-batch.entity';
import type { EntryStatus } from '../tables/knowledge-entry.entity';
import { type JobKind, KnowledgeJobEntity } from '../tables/knowledge-job.entity';
import { KnowledgeRemovalEntity } from '../tables/knowledge-removal.entity';

/** Work on an entry. */
export interface NewJob {
  entryId: number;
  /** The user who pays, usually the owner of the file; null: the service. */
  ownerId: number | null;
  kind: JobKind;
}

/**
 * The jobs of entries. Call the methods with a manager within `Database.write`, in the transaction of the change that
 * needs the work. The workers are woken after the commit.
 */
@Injectable()
export class IngestionQueue {
  private wake: () => void = () => undefined;
  private wakeCleanup: () => void = () => undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** For the part that does the work: sets what is called after jobs were added. Call it in a constructor. */
  onWork(wake: () => void): void {
    this.wake = wake;
  }

  /** For the part that removes passages: sets what is called after some became superfluous. Call it in a constructor. */
  onCleanup(wake: () => void): void {
    this.wakeCleanup = wake;
  }

  /** Invisible passages of these entries are removed in the background. */
  async cleanLater(manager: EntityManager, entryIds: readonly number[]): Promise<void> {
    const rows = entryIds.map((entryId) => ({ storeId: null, entryId }));
    await insertBatch(manager, KnowledgeRemovalEntity, rows);
    this.database.onCommit(() => this.wakeCleanup());
  }

  /**
   * Adds jobs and returns their ids, in order. An entry has one job at a time, so call `cancel` or `hurry` first, with
   * the entry locked.
   */
  async add(manager: EntityManager, jobs: readonly NewJob[]): Promise<number[]> {
    const now = this.clock.now();
    const rows = jobs.map((job) => ({
      ...job,
      state: 'queued' as const,
      stage: 'queued' as const,
      leaseOwner: null,
      leaseUntil: null,
      attempts: 0,
      nextAt: now,
      createdAt: now,
    }));
    this.database.onCommit(() => this.wake());
    return rows.length === 0 ? [] : insertRows(manager, KnowledgeJobEntity, rows);
  }

  /** If the job of an entry waits, it is taken next. @returns whether the entry has a job */
  async hurry(manager: EntityManager, entryId: number): Promise<boolean> {
    const job = await findLocked(manager, KnowledgeJobEntity, { entryId });
    if (job?.state === 'queued') {
      await updateRows(manager, KnowledgeJobEntity, { nextAt: this.clock.now() }, { id: job.id });
      this.database.onCommit(() => this.wake());
    }
    return job !== null;
  }

  /** Ends the jobs of entries before they are done. */
  async cancel(manager: EntityManager, entryIds: readonly number[]): Promise<void> {
    const jobs = await findRows(
      manager,
      KnowledgeJobEntity,
      { entryId: In([...entryIds]) },
      { members: ['id'], lock: 'wait' },
    );
    const ids = jobs.map(({ id }) => id);
    if (ids.length > 0) {
      await deleteRows(manager, KnowledgeJobEntity, { id: In(ids) });
      await this.settle(manager, ids, 'cancelled');
    }
    await this.cleanLater(manager, entryIds);
  }

  /** Batches that waited for these jobs know their outcome. */
  async settle(manager: EntityManager, jobIds: readonly number[], status: EntryStatus): Promise<void> {
    await updateRows(manager, KnowledgeBatchEntryEntity, { status }, { jobId: In([...jobIds]), status: 'in_progress' });
  }
}
