import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { histogram } from '../../../common/metrics/metrics';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS, SECOND_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { findRow } from '../../../database/statements/find';
import { insertRows } from '../../../database/statements/insert';
import { queryRows } from '../../../database/statements/query';
import { updateRows } from '../../../database/statements/update';
import { BlobStore } from '../../../integrations/blob-store/blob-store';
import { DocumentFailure } from '../../../integrations/document-parser/document-failure';
import { DocumentParser } from '../../../integrations/document-parser/document-parser';
import type { ParsedPassage, ParserOutput } from '../../../integrations/document-parser/parser-messages';
import { PassageIndex } from '../../../integrations/passage-index/passage-index';
import { readWords } from '../../../integrations/passage-index/passage-words';
import { EntryOutcomes } from '../collections/entry-outcomes';
import { IngestionQueue } from '../collections/ingestion-queue';
import type { Generation } from '../embedding/embedding-settings';
import { PassageEmbedding } from '../embedding/passage-embedding';
import { type EntryStage, type EntryWarning, KnowledgeEntryEntity } from '../tables/knowledge-entry.entity';
import { KnowledgeFileEntity } from '../tables/knowledge-file.entity';
import { KnowledgeJobEntity } from '../tables/knowledge-job.entity';
import { KnowledgePassageEntity } from '../tables/knowledge-passage.entity';
import { IngestionConfig } from './ingestion.config';
import { JobClaims, JobGoneError } from './job-claims';
import { TextStore } from './text-store';

/** The collection has no room for more passages. */
export class CollectionFullError extends Error {}

/** A job with its rows, and what it has made. */
interface Work {
  job: KnowledgeJobEntity;
  entry: KnowledgeEntryEntity;
  file: KnowledgeFileEntity;
  signal: AbortSignal;
  /** The set of passages: the job's own, or that of an entry that lacks vectors. */
  ingestionId: number;
  /** Called when something was committed that another attempt need not do again. */
  onProgress: () => void;
  textId: number;
  length: number;
  /** Passages that are stored already, by this attempt or an earlier one. */
  stored: number;
  passages: number;
  usageBytes: number;
  /** Passages that the collection can still take. */
  room: number;
}

const LAST_NUMBER = 'SELECT COUNT(*) AS passages FROM knowledge_passages WHERE ingestion_id = ?';
const PASSAGES_OF_STORE =
  'SELECT COALESCE(SUM(passages), 0) AS passages FROM knowledge_entries WHERE store_id = ? AND id <> ?';

/**
 * Makes the passages of one entry: reads and cuts its file, stores text and passages in bounded transactions, embeds
 * them, and shows all of them at once. After a crash it continues behind the last passage that was committed.
 */
@Injectable()
export class IngestionRun {
  private readonly seconds = histogram(
    'knowledge_ingestion_seconds',
    'Duration of the stages of an ingestion',
    [0.1, 0.5, 1, 5, 15, 60, 300, 1_800],
    ['stage'],
  );

  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly parser: DocumentParser,
    private readonly texts: TextStore,
    private readonly claims: JobClaims,
    private readonly index: PassageIndex,
    private readonly embedding: PassageEmbedding,
    private readonly outcomes: EntryOutcomes,
    private readonly queue: IngestionQueue,
    private readonly clock: SharedClock,
    private readonly config: IngestionConfig,
  ) {}

  /** @throws DocumentFailure, StorageQuotaExceededError, CollectionFullError, JobGoneError */
  async make(job: KnowledgeJobEntity, signal: AbortSignal, onProgress: () => void): Promise<void> {
    const work = await this.begin(job, signal, onProgress);
    if (job.kind === 'ingest') {
      await this.timed('parsing', () => this.parse(work));
    } else if (work.entry.warning === 'embeddings_lost' && job.stage === 'queued') {
      // Once for each word of a user: the stage changes with it.
      await this.database.write(async (manager) => {
        await this.progress(manager, work, 'embedding', [0, work.passages]);
        await this.embedding.forgetLosses(manager, work.ingestionId);
      });
    }
    let warning: EntryWarning | null = null;
    const embedded = new Set<number>();
    for (let wanted = await this.embedding.active(); ;) {
      const models = wanted;
      warning = (await this.timed('embedding', () => this.embed(work, models))) ?? warning;
      models.forEach(({ id }) => embedded.add(id));
      wanted = await this.timed('indexing', () => this.show(work, warning, embedded));
      if (wanted.length === 0) {
        return;
      }
    }
  }

  /** Ends the job. @returns models that an administrator has added since the start; if there are any, it has not ended */
  private async show(
    work: Work,
    warning: EntryWarning | null,
    embedded: ReadonlySet<number>,
  ): Promise<readonly Generation[]> {
    const { job, passages } = work;
    const usageBytes = work.usageBytes + (await this.embedding.bytesOf(work.ingestionId));
    return this.database.write(async (manager) => {
      const missing = (await this.embedding.lockActive(manager)).filter(({ id }) => !embedded.has(id));
      if (missing.length > 0) {
        return missing;
      }
      await this.claims.hold(manager, job);
      throwIfGone(await this.outcomes.complete(manager, job.id, { passages, usageBytes, warning }));
      await this.embedAgainLater(manager, work, warning);
      return [];
    });
  }

  /** Shows how far the job is, in the transaction with its result. @throws JobGoneError */
  private async progress(
    manager: EntityManager,
    { job }: Work,
    stage: EntryStage,
    share: readonly [number, number],
  ): Promise<void> {
    await this.claims.hold(manager, job);
    await this.outcomes.progress(manager, job.id, stage, share).then(throwIfGone);
  }

  private async begin(job: KnowledgeJobEntity, signal: AbortSignal, onProgress: () => void): Promise<Work> {
    const { manager } = this.database;
    const entry = await findRow(manager, KnowledgeEntryEntity, { id: job.entryId });
    const file = entry && (await findRow(manager, KnowledgeFileEntity, { id: entry.fileId }));
    if (!entry || !file) {
      throw new JobGoneError();
    }
    const [row] = await queryRows<{ passages: number | string }>(manager, LAST_NUMBER, [job.id]);
    const [others] = await queryRows<{ passages: number | string }>(manager, PASSAGES_OF_STORE, [
      entry.storeId,
      entry.id,
    ]);
    const isEmbedding = job.kind === 'embed';
    const ingestionId = isEmbedding ? (entry.ingestionId ?? 0) : job.id;
    const [passages, usageBytes] = isEmbedding
      ? [entry.passages, entry.usageBytes - (await this.embedding.bytesOf(ingestionId))]
      : [0, 0];
    return {
      ...{ job, entry, file, signal, ingestionId, onProgress, textId: 0, length: 0, passages, usageBytes },
      stored: Number(row?.passages),
      room: this.config.KNOWLEDGE_PASSAGES - Number(others?.passages),
    };
  }

  private async parse(work: Work): Promise<void> {
    await this.database.write((manager) => this.progress(manager, work, 'parsing', [0, 0]));
    const { job, entry, file, signal } = work;
    const rule = {
      size: entry.nextChunkSize ?? entry.chunkSize,
      overlap: entry.nextChunkOverlap ?? entry.chunkOverlap,
    };
    const known = await this.texts.find(file);
    if (known !== null) {
      const { headings, pages } = known;
      work.textId = known.id;
      const task = { kind: 'cut' as const, rule, headings: headings ?? [], pages };
      return this.store(work, this.parser.run(task, this.texts.read(known.id), signal), false);
    }
    work.textId = await this.texts.begin(job, file);
    const bytes = await this.blobs.stream(file.sha256);
    if (bytes === null) {
      throw new JobGoneError();
    }
    try {
      const task = { kind: 'parse' as const, filename: file.filename, rule };
      await this.store(work, this.parser.run(task, bytes, signal), true);
    } finally {
      bytes.destroy();
    }
  }

  /** Stores the parser's output, part by part. The parser waits while a part is stored. @param isNew whether the text is stored too */
  private async store(work: Work, output: AsyncIterable<ParserOutput>, isNew: boolean): Promise<void> {
    let parsed: Extract<ParserOutput, { kind: 'parsed' }> | null = null;
    let isTextStored = !isNew;
    for await (const part of output) {
      if (part.kind === 'parsed') {
        parsed = part;
        work.length = part.length;
        await this.texts.count(work.file, part.bytes);
      } else if (part.kind === 'piece') {
        await this.texts.add(work.job, work.textId, part);
      } else {
        if (parsed !== null && !isTextStored) {
          isTextStored = true;
          await this.texts.complete(work.job, work.textId, parsed);
          work.onProgress();
        }
        await this.addPassages(work, part.passages);
      }
    }
  }

  private async addPassages(work: Work, passages: ParsedPassage[]): Promise<void> {
    const first = work.passages;
    work.passages += passages.length;
    work.usageBytes += passages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    if (work.passages > work.room) {
      throw new CollectionFullError();
    }
    const added = passages.slice(Math.max(0, work.stored - first));
    const { file, entry, job } = work;
    if (added.length === 0) {
      return;
    }
    const words = await readWords(added.map(({ text, heading }) => ({ text, heading, filename: file.filename })));
    const from = first + passages.length - added.length;
    const rows = added.map(({ start, end, page, heading, tokens, hash }, position) => ({
      ...{ storeId: entry.storeId, entryId: entry.id, ingestionId: job.id, textId: work.textId },
      ...{ number: from + position, startOffset: start, endOffset: end, page, heading, tokens, hash },
    }));
    await this.database.write(async (manager) => {
      await this.progress(manager, work, 'parsing', [added.at(-1)?.end ?? 0, work.length]);
      const ids = await insertRows(manager, KnowledgePassageEntity, rows);
      await this.index.addWords(manager, { storeId: entry.storeId, ingestionId: job.id }, ids, words);
    });
    work.onProgress();
  }

  private embed(work: Work, models: readonly Generation[]): Promise<EntryWarning | null> {
    const { job, entry, signal, ingestionId } = work;
    const ownerId = job.ownerId ?? 0;
    const wanted = {
      ...{ ingestionId, storeId: entry.storeId, ownerId, payerId: ownerId, signal },
      holds: (manager: EntityManager) => this.claims.holds(manager, job),
      onProgress: async (done: number) => {
        work.onProgress();
        await this.database.write((manager) => this.progress(manager, work, 'embedding', [done, work.passages]));
      },
    };
    return this.embedding.embed(wanted, models);
  }

  /** Vectors that are missing are requested again: after failures for a day, after refusals until there is room. */
  private async embedAgainLater(
    manager: EntityManager,
    { entry, job }: Work,
    warning: EntryWarning | null,
  ): Promise<void> {
    const now = this.clock.now();
    const age = job.kind === 'embed' ? now.getTime() - (entry.completedAt?.getTime() ?? 0) : 0;
    const isTriedAgain =
      warning === 'budget_exceeded' ||
      warning === 'quota_exceeded' ||
      (warning === 'embeddings_failed' && age < DAY_MILLISECONDS);
    if (isTriedAgain) {
      const [id = 0] = await this.queue.add(manager, [{ entryId: entry.id, ownerId: job.ownerId, kind: 'embed' }]);
      const nextAt = new Date(now.getTime() + HOUR_MILLISECONDS);
      await updateRows(manager, KnowledgeJobEntity, { nextAt }, { id });
    }
  }

  private async timed<Result>(stage: string, run: () => Promise<Result>): Promise<Result> {
    const start = performance.now();
    try {
      return await run();
    } finally {
      this.seconds.observe({ stage }, (performance.now() - start) / SECOND_MILLISECONDS);
    }
  }
}

export function isFinal(error: unknown): error is DocumentFailure | CollectionFullError {
  return error instanceof DocumentFailure || error instanceof CollectionFullError;
}

function throwIfGone(isThere: boolean): void {
  if (!isThere) {
    throw new JobGoneError();
  }
}
