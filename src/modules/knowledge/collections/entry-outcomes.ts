import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { type DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import { deleteRows } from '../../../database/statements/delete';
import { findRow } from '../../../database/statements/find';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { entryEvent, type EntryFacts, entryFailed } from '../knowledge.events';
import {
  type EntryError,
  type EntryStage,
  type EntryWarning,
  KnowledgeEntryEntity,
} from '../tables/knowledge-entry.entity';
import { KnowledgeFileEntity } from '../tables/knowledge-file.entity';
import { type JobKind, KnowledgeJobEntity } from '../tables/knowledge-job.entity';
import { KnowledgeStoreEntity } from '../tables/knowledge-store.entity';
import { IngestionQueue } from './ingestion-queue';

/** What an ingestion made. */
export interface IngestedPassages {
  passages: number;
  /** Bytes of their texts and vectors. */
  usageBytes: number;
  warning: EntryWarning | null;
}

/** A job that has ended. */
interface Ended {
  kind: JobKind;
  entry: KnowledgeEntryEntity;
  /** Whether users see the collection. */
  isListed: boolean;
  facts: EntryFacts;
}

/**
 * What jobs report about their entries. Call the methods with a manager within `Database.write`, in the transaction with
 * the result. All return false if the job is gone, because its file or entry was: then nothing of its result counts.
 */
@Injectable()
export class EntryOutcomes {
  constructor(
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly queue: IngestionQueue,
  ) {}

  /** How far the job is. */
  async progress(
    manager: EntityManager,
    jobId: number,
    stage: EntryStage,
    [progressDone, progressTotal]: readonly [number, number],
  ): Promise<boolean> {
    const job = (await this.lock(manager, jobId))?.job;
    if (job === undefined) {
      return false;
    }
    await updateRows(manager, KnowledgeJobEntity, { stage }, { id: jobId });
    await updateRows(manager, KnowledgeEntryEntity, { stage, progressDone, progressTotal }, { id: job.entryId });
    return true;
  }

  /** All passages of the job appear at once, and replace the earlier ones. Of a job for vectors, these count. */
  async complete(manager: EntityManager, jobId: number, made: IngestedPassages): Promise<boolean> {
    const ended = await this.end(manager, jobId);
    if (ended === null) {
      return false;
    }
    const { entry } = ended;
    if (ended.kind === 'embed') {
      const { usageBytes, warning } = made;
      await updateRows(manager, KnowledgeEntryEntity, { usageBytes, warning, stage: 'done' }, { id: entry.id });
      return true;
    }
    await updateRows(
      manager,
      KnowledgeEntryEntity,
      {
        ...made,
        status: 'completed',
        stage: 'done',
        progressDone: made.passages,
        progressTotal: made.passages,
        errorCode: null,
        ingestionId: jobId,
        chunkSize: entry.nextChunkSize ?? entry.chunkSize,
        chunkOverlap: entry.nextChunkOverlap ?? entry.chunkOverlap,
        nextChunkSize: null,
        nextChunkOverlap: null,
        completedAt: this.clock.now(),
      },
      { id: entry.id },
    );
    await this.queue.settle(manager, [jobId], 'completed');
    await this.publish(manager, ended, entryEvent('file_completed', ended.facts));
    return true;
  }

  /** An entry with earlier passages keeps them, with a warning. Of a job for vectors, only these are missing. */
  async fail(manager: EntityManager, jobId: number, error: EntryError): Promise<boolean> {
    const ended = await this.end(manager, jobId);
    if (ended === null) {
      return false;
    }
    const { entry } = ended;
    if (ended.kind === 'embed') {
      const changes = { stage: 'done', warning: 'embeddings_failed' } as const;
      await updateRows(manager, KnowledgeEntryEntity, changes, { id: entry.id });
      return true;
    }
    const next = { nextChunkSize: null, nextChunkOverlap: null };
    const changes =
      entry.ingestionId === null
        ? { ...next, status: 'failed' as const, stage: null, errorCode: error, completedAt: this.clock.now() }
        : { ...next, stage: 'done' as const, warning: 'ingestion_failed' as const };
    await updateRows(manager, KnowledgeEntryEntity, changes, { id: entry.id });
    await this.queue.settle(manager, [jobId], 'failed');
    await this.publish(manager, ended, entryFailed(ended.facts, error));
    return true;
  }

  /** Hidden collections of conversations have no events. */
  private async publish(manager: EntityManager, { isListed }: Ended, event: DomainEvent): Promise<void> {
    await (isListed && this.events.publish(manager, event));
  }

  private async end(manager: EntityManager, jobId: number): Promise<Ended | null> {
    const locked = await this.lock(manager, jobId);
    if (locked === null) {
      return null;
    }
    const { job, entry } = locked;
    const store = await findRow(manager, KnowledgeStoreEntity, { id: entry.storeId });
    const file = await findRow(manager, KnowledgeFileEntity, { id: entry.fileId });
    if (store === null || file === null) {
      return null;
    }
    await deleteRows(manager, KnowledgeJobEntity, { id: jobId });
    // What an earlier or a failed ingestion left.
    await this.queue.cleanLater(manager, [entry.id]);
    return { kind: job.kind, entry, isListed: store.chatId === null, facts: { store, file, addedBy: entry.addedBy } };
  }

  /** The entry first, as all who change entries do. */
  private async lock(
    manager: EntityManager,
    jobId: number,
  ): Promise<{ job: KnowledgeJobEntity; entry: KnowledgeEntryEntity } | null> {
    const found = await findRow(manager, KnowledgeJobEntity, { id: jobId }, { members: ['entryId'] });
    const entry = found && (await findLocked(manager, KnowledgeEntryEntity, { id: found.entryId }));
    const job = entry && (await findLocked(manager, KnowledgeJobEntity, { id: jobId }));
    return entry && job ? { job, entry } : null;
  }
}
