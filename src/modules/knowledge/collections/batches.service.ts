import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull, Not } from 'typeorm';
import { Clock } from '../../../common/clock';
import type { ListPart } from '../../../common/envelope/total-count';
import type { Principal } from '../../../common/security/principal';
import type { RequestContext } from '../../../common/security/request-context';
import { Database } from '../../../database/database';
import { findRow, findRows } from '../../../database/statements/find';
import { insertBatch, insertEntity } from '../../../database/statements/insert';
import type { Cursor } from '../../../database/statements/list-rows';
import { queryRows } from '../../../database/statements/query';
import { findLocked, lockRows } from '../../../database/statements/row-lock';
import { idBatches } from '../../../database/statements/rows-by-id';
import { updateRows } from '../../../database/statements/update';
import { BatchNotFoundError } from '../knowledge.errors';
import { KnowledgeBatchEntity, KnowledgeBatchEntryEntity } from '../tables/knowledge-batch.entity';
import { ENTRY_STATUSES, type EntryStatus, KnowledgeEntryEntity } from '../tables/knowledge-entry.entity';
import { KnowledgeJobEntity } from '../tables/knowledge-job.entity';
import { EntriesService, type EntryFilter, type EntryWithFile } from './entries.service';
import type { AttachedEntry, AttachedFile } from './entry.store';
import { IngestionQueue } from './ingestion-queue';
import { ReadableStores } from './readable-stores';

/** A batch and its progress. */
export interface BatchState {
  batch: KnowledgeBatchEntity;
  status: 'in_progress' | 'completed' | 'cancelled';
  counts: Record<EntryStatus, number> & { total: number };
}

/** Files that are attached to a collection with one request. */
@Injectable()
export class BatchesService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly readable: ReadableStores,
    private readonly entries: EntriesService,
    private readonly queue: IngestionQueue,
  ) {}

  /**
   * Attaches all of the caller's files, or none.
   *
   * @param files distinct
   * @throws KnowledgeNotFoundError, KnowledgeRoleRequiredError, and the errors of `EntryStore.attach`
   */
  async create(context: RequestContext, storeId: number, files: readonly AttachedFile[]): Promise<BatchState> {
    await this.readable.require(context.principal, storeId, 'editor');
    const batch = await this.database.write((manager) => this.createIn(manager, context, storeId, files));
    return this.stateOf(batch);
  }

  /** Within `Database.write`, for a collection that is created with its files. */
  async createIn(
    manager: EntityManager,
    context: RequestContext,
    storeId: number,
    files: readonly AttachedFile[],
  ): Promise<KnowledgeBatchEntity> {
    const attached = await this.entries.attachAll(manager, context, storeId, files);
    const batch = await insertEntity(manager, KnowledgeBatchEntity, {
      storeId,
      userId: context.principal.userId,
      createdAt: this.clock.now(),
      cancelledAt: null,
    });
    await insertBatch(manager, KnowledgeBatchEntryEntity, await this.membersOf(manager, batch.id, attached));
    return batch;
  }

  /** @throws KnowledgeNotFoundError, BatchNotFoundError */
  async get(principal: Principal, storeId: number, id: number): Promise<BatchState> {
    await this.readable.find(principal, storeId);
    return this.stateOf(await this.find(storeId, id));
  }

  /** The entries of a batch that are still in the collection. @throws KnowledgeNotFoundError, BatchNotFoundError */
  async entriesOf(
    principal: Principal,
    storeId: number,
    id: number,
    filter: EntryFilter,
    direction: 'ASC' | 'DESC',
    part: Cursor & { limit: number },
  ): Promise<ListPart<EntryWithFile>> {
    await this.get(principal, storeId, id);
    const also = {
      condition: 'entry.id IN (SELECT entry_id FROM knowledge_batch_entries WHERE batch_id = ?)',
      parameters: [id],
    };
    return this.entries.adjacentPage(principal, storeId, { ...filter, also }, direction, part);
  }

  /**
   * Ends the ingestions that the batch has started. Entries with earlier passages keep them.
   *
   * @throws KnowledgeNotFoundError, KnowledgeRoleRequiredError, BatchNotFoundError
   */
  async cancel(principal: Principal, storeId: number, id: number): Promise<BatchState> {
    await this.readable.require(principal, storeId, 'editor');
    await this.find(storeId, id);
    const batch = await this.database.write(async (manager) => {
      const locked = await findLocked(manager, KnowledgeBatchEntity, { id, storeId });
      if (locked === null) {
        throw new BatchNotFoundError();
      }
      if (locked.cancelledAt !== null || !(await this.isRunning(manager, id))) {
        return locked;
      }
      await this.endJobs(manager, id);
      const cancelledAt = this.clock.now();
      await updateRows(manager, KnowledgeBatchEntity, { cancelledAt }, { id });
      return { ...locked, cancelledAt };
    });
    return this.stateOf(batch);
  }

  private async find(storeId: number, id: number): Promise<KnowledgeBatchEntity> {
    const batch = await findRow(this.database.manager, KnowledgeBatchEntity, { id, storeId });
    if (batch === null) {
      throw new BatchNotFoundError();
    }
    return batch;
  }

  private async isRunning(manager: EntityManager, batchId: number): Promise<boolean> {
    const running = await findRow(manager, KnowledgeBatchEntryEntity, { batchId, status: 'in_progress' });
    return running !== null;
  }

  private async membersOf(
    manager: EntityManager,
    batchId: number,
    attached: readonly AttachedEntry[],
  ): Promise<KnowledgeBatchEntryEntity[]> {
    const waiting = attached.filter(({ entry, jobId }) => jobId === null && entry.status === 'in_progress');
    const jobs = await findRows(
      manager,
      KnowledgeJobEntity,
      { entryId: In(waiting.map(({ entry }) => entry.id)) },
      { members: ['id', 'entryId'] },
    );
    const jobOf = new Map(jobs.map((job) => [job.entryId, job.id]));
    return attached.map(({ entry, jobId }) => ({
      batchId,
      entryId: entry.id,
      fileId: entry.fileId,
      jobId: jobId ?? jobOf.get(entry.id) ?? null,
      started: jobId !== null,
      status: jobId === null ? entry.status : ('in_progress' as const),
    }));
  }

  private async endJobs(manager: EntityManager, batchId: number): Promise<void> {
    const members = await findRows(manager, KnowledgeBatchEntryEntity, {
      batchId,
      started: true,
      status: 'in_progress',
    });
    const jobIds = members.flatMap(({ jobId }) => jobId ?? []);
    const jobs = await findRows(manager, KnowledgeJobEntity, { id: In(jobIds) }, { members: ['entryId'] });
    const ids = jobs.map(({ entryId }) => entryId);
    const next = { nextChunkSize: null, nextChunkOverlap: null };
    await lockRows(manager, KnowledgeEntryEntity, ids);
    await this.queue.cancel(manager, ids);
    for (const some of idBatches(ids)) {
      const searched = { id: In(some), ingestionId: Not(IsNull()) };
      const kept = { ...next, stage: 'done' as const, warning: 'ingestion_cancelled' as const };
      await updateRows(manager, KnowledgeEntryEntity, kept, searched);
      const ended = { ...next, status: 'cancelled' as const, stage: null };
      await updateRows(manager, KnowledgeEntryEntity, ended, { id: In(some), ingestionId: IsNull() });
    }
  }

  private async stateOf(batch: KnowledgeBatchEntity): Promise<BatchState> {
    const rows = await queryRows<{ status: EntryStatus; files: number | string }>(
      this.database.manager,
      'SELECT status, COUNT(*) AS files FROM knowledge_batch_entries WHERE batch_id = ? GROUP BY status',
      [batch.id],
    );
    const of = (status: EntryStatus): number => Number(rows.find((row) => row.status === status)?.files ?? 0);
    const counts = Object.fromEntries(ENTRY_STATUSES.map((status) => [status, of(status)])) as Record<
      EntryStatus,
      number
    >;
    const total = ENTRY_STATUSES.reduce((sum, status) => sum + counts[status], 0);
    const running = counts.in_progress > 0 ? ('in_progress' as const) : ('completed' as const);
    return { batch, status: batch.cancelledAt === null ? running : 'cancelled', counts: { ...counts, total } };
  }
}
