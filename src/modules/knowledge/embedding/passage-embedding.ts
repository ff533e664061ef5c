import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { BudgetExceededError } from '../../../common/money/spending.errors';
import { MINUTE_MILLISECONDS, SECOND_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { queryRows } from '../../../database/statements/query';
import { findLocked } from '../../../database/statements/row-lock';
import { idList } from '../../../database/statements/rows-by-id';
import { executeOnce } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import { EmbeddingAnswerError, EmbeddingLostError } from '../../../integrations/llm/port/embedding';
import { ModelNotPricedError, ModelProviderError } from '../../../integrations/llm/port/llm.errors';
import { PassageIndex } from '../../../integrations/passage-index/passage-index';
import { VectorEntity } from '../../../integrations/passage-index/passage-index.entity';
import { QuotaExceededError } from '../../usage/usage.api';
import { JobGoneError } from '../ingestion/job-claims';
import { PassageTexts } from '../search/passage-texts';
import type { EntryWarning } from '../tables/knowledge-entry.entity';
import { EmbeddingBatchEntity, EmbeddingGenerationEntity } from './embedding.entity';
import { EmbeddingLeases } from './embedding-leases';
import { EmbeddingRequests } from './embedding-requests';
import { EmbeddingSettings, type Generation } from './embedding-settings';
import { unitVector, vectorOf } from './vectors';

/** Passages of one request. */
const BATCH = 64;

const BATCH_MILLISECONDS = MINUTE_MILLISECONDS;

/** Waits after the first, second … refusal: five attempts within five minutes. */
const PAUSES = [5, 20, 60, 150].map((seconds) => seconds * SECOND_MILLISECONDS);

/** Statuses after which no attempt can succeed. */
const FINAL_STATUSES = [400, 401, 403, 404];

const WITHOUT_VECTOR = `SELECT passage.id AS id, passage.hash AS hash, passage.tokens AS tokens,
    passage.text_id AS textId, passage.start_offset AS start, passage.end_offset AS end
  FROM knowledge_passages passage
  WHERE passage.ingestion_id = ? AND passage.id > ? AND NOT EXISTS
    (SELECT 1 FROM knowledge_vectors kept WHERE kept.passage_id = passage.id AND kept.generation = ?)
  ORDER BY passage.id LIMIT ${BATCH}`;

/** Vectors of the same texts of the same owner. */
const KNOWN = `SELECT passage.hash AS hash, MIN(passage.id) AS id FROM knowledge_passages passage
  JOIN knowledge_texts text ON text.id = passage.text_id
  JOIN knowledge_vectors kept ON kept.passage_id = passage.id AND kept.generation = ?
  WHERE COALESCE(text.owner_id, 0) = ? AND passage.hash IN `;

const BYTES = `SELECT CAST(COALESCE(SUM(LENGTH(kept.vector)), 0) AS SIGNED) AS bytes FROM knowledge_vectors kept
  JOIN knowledge_passages passage ON passage.id = kept.passage_id WHERE passage.ingestion_id = ?`;

const FORGET_ENDED = `DELETE FROM embedding_batches WHERE NOT EXISTS
  (SELECT 1 FROM knowledge_passages WHERE knowledge_passages.ingestion_id = embedding_batches.ingestion_id
    AND knowledge_passages.id NOT IN `;

/** Passages whose vectors are wanted. */
export interface Embedded {
  ingestionId: number;
  storeId: number;
  /** The owner of the file; 0: the service. */
  ownerId: number;
  /** User who pays; 0: the service. */
  payerId: number;
  signal: AbortSignal;
  onProgress: (done: number) => Promise<void>;
  /** Within `Database.write`: whether the passages are still wanted. If so, they stay until the transaction ends. */
  holds: (manager: EntityManager) => Promise<boolean>;
}

/** The provider refuses requests for the moment. The next attempt is to be made by a new run. */
export class EmbeddingRefusedError extends Error {
  /** @param wait in milliseconds, before the next attempt */
  constructor(
    readonly wait: number,
    options?: ErrorOptions,
  ) {
    super('The embedding model refuses requests.', options);
  }
}

/** No search uses the model any more. */
class ModelEndedError extends Error {}

interface Passage {
  id: number;
  hash: string;
  tokens: number;
  textId: number;
  start: number;
  end: number;
}

/**
 * Adds the vectors of an ingestion's passages. One request at a time is on its way; its row in `embedding_batches` is
 * committed before it is sent, and deleted with the vectors and the row in the ledger. A lost request is sent a second time.
 */
@Injectable()
export class PassageEmbedding {
  /** Tests shorten it; it is not a setting. */
  pauses: readonly number[] = PAUSES;

  constructor(
    private readonly database: Database,
    private readonly settings: EmbeddingSettings,
    private readonly requests: EmbeddingRequests,
    private readonly index: PassageIndex,
    private readonly texts: PassageTexts,
    private readonly leases: EmbeddingLeases,
  ) {}

  /** The models whose vectors are wanted. */
  active(): Promise<readonly Generation[]> {
    return this.settings.active();
  }

  /** The same, locked until the transaction ends. Lock jobs and entries after them. */
  lockActive(manager: EntityManager): Promise<readonly Generation[]> {
    return this.settings.lockActive(manager);
  }

  /** @returns why vectors are missing; null: none is @throws JobGoneError, EmbeddingRefusedError */
  async embed(work: Embedded, generations: readonly Generation[]): Promise<EntryWarning | null> {
    let warning: EntryWarning | null = null;
    for (const generation of generations) {
      warning = (await this.complete(work, generation)) ?? warning;
    }
    return warning;
  }

  /** The missing vectors of one model. @throws JobGoneError, EmbeddingRefusedError */
  async complete(work: Embedded, generation: Generation): Promise<EntryWarning | null> {
    try {
      return await this.leases.with(work.ingestionId, generation.id, work.signal, (signal) =>
        this.addMissing({ ...work, signal }, generation),
      );
    } catch (error) {
      if (error instanceof ModelEndedError) {
        return null;
      }
      throw error;
    }
  }

  private async addMissing(work: Embedded, generation: Generation): Promise<EntryWarning | null> {
    const lost = await this.takeUp(work, generation);
    let done = 0;
    for (let after = 0; ;) {
      work.signal.throwIfAborted();
      const { ingestionId } = work;
      const { manager } = this.database;
      const passages = await queryRows<Passage>(manager, WITHOUT_VECTOR, [ingestionId, after, generation.id]);
      after = passages.at(-1)?.id ?? 0;
      if (passages.length === 0) {
        return lost.size > 0 ? 'embeddings_lost' : null;
      }
      const missing = await this.reuse(
        work,
        generation,
        passages.filter(({ id }) => !lost.has(id)),
      );
      const warning = missing.length === 0 ? null : await this.request(work, generation, missing);
      if (warning === 'embeddings_lost') {
        missing.forEach(({ id }) => lost.add(id));
      } else if (warning !== null) {
        return warning;
      }
      done += passages.length;
      await work.onProgress(done);
    }
  }

  /** Sends requests again that were lost, for a user who wants it. */
  async forgetLosses(manager: EntityManager, ingestionId: number): Promise<void> {
    await deleteRows(manager, EmbeddingBatchEntity, { ingestionId });
  }

  /** Bytes of the vectors of an ingestion. */
  async bytesOf(ingestionId: number): Promise<number> {
    const [row] = await queryRows<{ bytes: number }>(this.database.manager, BYTES, [ingestionId]);
    return row?.bytes ?? 0;
  }

  /** Before passages are removed, in the same transaction: removes the requests of ingestions that have no others. */
  async forgetEnded(manager: EntityManager, passageIds: readonly number[]): Promise<void> {
    await executeOnce(manager, `${FORGET_ENDED}${idList(passageIds)})`, []);
    await this.leases.forgetEnded(manager);
  }

  /** Requests of an attempt that has died were lost. @returns the passages that are not sent again */
  private async takeUp({ ingestionId }: Embedded, { id: generation }: Generation): Promise<Set<number>> {
    const batches = await findRows(this.database.manager, EmbeddingBatchEntity, { ingestionId, generation });
    for (const batch of batches) {
      if (batch.state === 'sent') {
        batch.losses++;
        batch.state = batch.losses > 1 ? 'lost' : 'again';
        this.requests.countLost();
        const { state, losses } = batch;
        await this.database.write((manager) =>
          updateRows(manager, EmbeddingBatchEntity, { state, losses }, { id: batch.id, state: 'sent' }),
        );
      }
    }
    return new Set(batches.filter(({ state }) => state === 'lost').flatMap(({ passageIds }) => passageIds));
  }

  /** Adds the vectors that other passages with the same texts have. @returns the passages that remain */
  private async reuse(work: Embedded, generation: Generation, passages: Passage[]): Promise<Passage[]> {
    if (passages.length === 0) {
      return [];
    }
    const { manager } = this.database;
    const hashes = [...new Set(passages.map(({ hash }) => hash))];
    const wanted = `(${hashes.map(() => '?').join(', ')}) GROUP BY passage.hash`;
    const found = await queryRows<{ hash: string; id: number }>(manager, KNOWN + wanted, [
      generation.id,
      work.ownerId,
      ...hashes,
    ]);
    if (found.length === 0) {
      return passages;
    }
    const passageId = In(found.map(({ id }) => id));
    const rows = await findRows(manager, VectorEntity, { passageId, generation: generation.id });
    const vectors = new Map(
      found.map(({ hash, id }) => [hash, rows.find((row) => row.passageId === id)?.vector] as const),
    );
    const known = passages.filter(({ hash }) => vectors.get(hash) !== undefined);
    await this.database.write((writer) =>
      this.add(writer, work, generation, known, (passage) => vectorOf(vectors.get(passage.hash) as Buffer)),
    );
    return passages.filter(({ hash }) => vectors.get(hash) === undefined);
  }

  /** Embeds a batch. The places of running work are not kept while a provider is down: see `EmbeddingRefusedError`. */
  private async request(work: Embedded, generation: Generation, passages: Passage[]): Promise<EntryWarning | null> {
    for (;;) {
      try {
        await this.send(work, generation, passages);
        return null;
      } catch (error) {
        work.signal.throwIfAborted();
        if (error instanceof EmbeddingLostError) {
          if (await this.isLost(work, generation, passages)) {
            return 'embeddings_lost';
          }
          continue;
        }
        const warning = warningOf(error);
        const refusals = (await this.batchOf(work, generation, passages))?.refusals ?? 1;
        const wait = this.pauses[refusals - 1];
        if (warning === null && wait !== undefined) {
          throw new EmbeddingRefusedError(wait, { cause: error });
        }
        await this.forgetRefusals(work, generation);
        return warning ?? 'embeddings_failed';
      }
    }
  }

  private async send(work: Embedded, generation: Generation, passages: readonly Passage[]): Promise<void> {
    const distinct = [...new Map(passages.map((passage) => [passage.hash, passage])).values()];
    const input = await this.texts.read(distinct);
    const tokens = distinct.reduce((sum, passage) => sum + passage.tokens, 0);
    const ids = passages.map(({ id }) => id);
    const before = await this.batchOf(work, generation, passages);
    const { losses, refusals } = before ?? { losses: 0, refusals: 0 };
    let batchId = before?.id ?? 0;
    const isRight = await this.requests.send(
      {
        payer: { userId: work.payerId, apiKeyId: null },
        model: generation,
        request: { input, dimensions: generation.dimensions, length: generation.length },
        tokens,
      },
      {
        begin: async (manager) => {
          await this.requireWanted(manager, work, generation);
          const row = { ingestionId: work.ingestionId, generation: generation.id, passageIds: ids, losses, refusals };
          if (before === null) {
            batchId = await insertRow(manager, EmbeddingBatchEntity, { ...row, state: 'sent' });
          } else {
            await updateRows(manager, EmbeddingBatchEntity, { state: 'sent' }, { id: batchId });
          }
        },
        lock: (manager) => this.lockWanted(manager, work, generation),
        succeed: async (manager, { vectors }) => {
          // Another instance that has taken up the job sends it again.
          if ((await deleteRows(manager, EmbeddingBatchEntity, { id: batchId, state: 'sent', losses })) === 0) {
            return true;
          }
          const units = new Map(distinct.map(({ hash }, index) => [hash, unitVector(vectors[index]!)]));
          return this.add(manager, work, generation, passages, ({ hash }) => units.get(hash)!);
        },
        fail: async (manager) => {
          const refused = { state: losses === 0 ? ('refused' as const) : ('again' as const), refusals: refusals + 1 };
          await updateRows(manager, EmbeddingBatchEntity, refused, { id: batchId, state: 'sent', losses });
        },
        lose: async (manager) => {
          const state = losses > 0 ? ('lost' as const) : ('again' as const);
          await updateRows(manager, EmbeddingBatchEntity, { state, losses: losses + 1 }, { id: batchId, losses });
        },
      },
      AbortSignal.any([work.signal, AbortSignal.timeout(BATCH_MILLISECONDS)]),
    );
    if (!isRight) {
      throw new EmbeddingAnswerError('The vectors have another length.');
    }
  }

  private async isLost(work: Embedded, generation: Generation, passages: readonly Passage[]): Promise<boolean> {
    return (await this.batchOf(work, generation, passages))?.state === 'lost';
  }

  private async forgetRefusals({ ingestionId }: Embedded, { id: generation }: Generation): Promise<void> {
    await this.database.write(async (manager) => {
      await deleteRows(manager, EmbeddingBatchEntity, { ingestionId, generation, state: 'refused' });
      await updateRows(manager, EmbeddingBatchEntity, { refusals: 0 }, { ingestionId, generation });
    });
  }

  /** The batch with one of these passages. Batches never overlap in part: they are sent again as they were. */
  private async batchOf(
    { ingestionId }: Embedded,
    { id: generation }: Generation,
    passages: readonly Passage[],
  ): Promise<EmbeddingBatchEntity | null> {
    const batches = await findRows(this.database.manager, EmbeddingBatchEntity, { ingestionId, generation });
    return batches.find(({ passageIds }) => passageIds.includes(passages[0]?.id ?? 0)) ?? null;
  }

  /** Adds nothing if the model or the passages no longer exist, and no vector twice. @returns whether the length is right */
  private async add(
    manager: EntityManager,
    work: Embedded,
    model: Generation,
    passages: readonly Passage[],
    vectorFor: (passage: Passage) => Float32Array,
  ): Promise<boolean> {
    const locked = passages.length === 0 ? null : await this.lockWanted(manager, work, model);
    if (locked === null) {
      return true;
    }
    const generation = model.id;
    const where = { passageId: In(passages.map(({ id }) => id)), generation };
    const stored = await findRows(manager, VectorEntity, where, { members: ['passageId'], lock: 'wait' });
    const isStored = new Set(stored.map((vector) => vector.passageId));
    const vectors = passages
      .filter(({ id }) => !isStored.has(id))
      .map((passage) => ({ passageId: passage.id, vector: vectorFor(passage) }));
    const length = vectors[0]?.vector.length;
    if (length === undefined || (locked.length ?? length) !== length) {
      return length === undefined;
    }
    await this.index.addVectors(manager, { ...work, generation }, vectors);
    await (locked.length === null && this.settings.setLength(manager, locked, length));
    return true;
  }

  /** Null: the model or the passages are not wanted any more. */
  private async lockWanted(manager: EntityManager, work: Embedded, generation: Generation): Promise<Generation | null> {
    const locked = await this.lock(manager, generation);
    return locked !== null && (await work.holds(manager)) ? locked : null;
  }

  private async requireWanted(manager: EntityManager, work: Embedded, generation: Generation): Promise<void> {
    if ((await this.lock(manager, generation)) === null) {
      throw new ModelEndedError();
    }
    if (!(await work.holds(manager))) {
      throw new JobGoneError();
    }
  }

  /** The model, locked until the transaction ends; null: no search uses it any more. */
  private lock(manager: EntityManager, { id }: Pick<Generation, 'id'>): Promise<Generation | null> {
    return findLocked(manager, EmbeddingGenerationEntity, { id, state: In(['current', 'building']) });
  }
}

/** Why no other attempt is made; null: one may help. @throws other errors */
function warningOf(error: unknown): EntryWarning | null {
  if (error instanceof BudgetExceededError || error instanceof ModelNotPricedError) {
    return 'budget_exceeded';
  }
  if (error instanceof QuotaExceededError) {
    return 'quota_exceeded';
  }
  if (error instanceof EmbeddingAnswerError) {
    return 'embeddings_failed';
  }
  if (error instanceof ModelProviderError) {
    return FINAL_STATUSES.includes(error.providerStatus ?? 0) ? 'embeddings_failed' : null;
  }
  throw error;
}
