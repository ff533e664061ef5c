import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { BackgroundLoop } from '../../../common/background/background-loop';
import { HeldLeases } from '../../../common/background/held-leases';
import { Lifecycle } from '../../../common/lifecycle';
import { MINUTE_MILLISECONDS, SECOND_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { findRows } from '../../../database/statements/find';
import { queryRows } from '../../../database/statements/query';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { PassageIndex } from '../../../integrations/passage-index/passage-index';
import { JobGoneError } from '../ingestion/job-claims';
import { type EntryWarning, KnowledgeEntryEntity } from '../tables/knowledge-entry.entity';
import { EmbeddingGenerationEntity } from './embedding.entity';
import { EmbeddingSettings, type Generation } from './embedding-settings';
import { EmbeddingRefusedError, PassageEmbedding } from './passage-embedding';

/** All instances know of a change then, and make vectors of both models for new passages. */
const KNOWN_MILLISECONDS = 6 * SECOND_MILLISECONDS;

/** Another instance takes over if this one does not renew its lease for so long. */
const LEASE_MILLISECONDS = 10 * SECOND_MILLISECONDS;

/** How often the lease is renewed, which ends the work if an administrator has ended the model. */
const RENEWAL_MILLISECONDS = 3 * SECOND_MILLISECONDS;

const FREE =
  "id = ? AND state IN ('current', 'building') AND (lease_owner IS NULL OR leased_until IS NULL OR leased_until <= ?)";
const OWN = "id = ? AND state IN ('current', 'building') AND lease_owner = ?";

/** The next set of passages that lacks vectors. */
const NEXT = `SELECT passage.ingestion_id AS ingestionId, MIN(passage.store_id) AS storeId,
    MIN(entry.id) AS entryId, MIN(text.owner_id) AS ownerId
  FROM knowledge_passages passage
  JOIN knowledge_entries entry ON entry.ingestion_id = passage.ingestion_id
  JOIN knowledge_texts text ON text.id = passage.text_id
  WHERE passage.ingestion_id > ? AND NOT EXISTS
    (SELECT 1 FROM knowledge_vectors kept WHERE kept.passage_id = passage.id AND kept.generation = ?)
  GROUP BY passage.ingestion_id ORDER BY passage.ingestion_id LIMIT 1`;

interface Next {
  ingestionId: number;
  storeId: number;
  entryId: number;
  ownerId: number | null;
}

/** Makes the vectors of another embedding model in the background, and switches searches to it when all are made. */
@Injectable()
export class EmbeddingBuild {
  private readonly logger = new Logger(EmbeddingBuild.name);
  private readonly stopping = new AbortController();
  private readonly loop: BackgroundLoop;
  private isBuilding = false;

  constructor(
    private readonly database: Database,
    private readonly settings: EmbeddingSettings,
    private readonly embedding: PassageEmbedding,
    private readonly index: PassageIndex,
    private readonly clock: SharedClock,
    background: BackgroundWork,
    lifecycle: Lifecycle,
    leases: HeldLeases,
  ) {
    leases.add('embedding_model', () => this.isBuilding);
    this.loop = background.add({
      step: () => this.step(),
      onError: (error) => this.logger.warn({ error }, 'The vectors of an embedding model could not be made.'),
      idleMilliseconds: MINUTE_MILLISECONDS,
    });
    lifecycle.onDrain(() => {
      this.stopping.abort();
      return Promise.resolve();
    });
  }

  wake(): void {
    this.loop.wake();
  }

  private async step(): Promise<number | null> {
    await this.removeEnded();
    const [building, current] = [await this.settings.building(), await this.settings.current()];
    const generation = building ?? (current?.isFilling ? current : null);
    const leaseOwner = randomUUID();
    if (generation === null || !(await this.lease(generation, leaseOwner))) {
      return null;
    }
    this.isBuilding = true;
    const isDone = await this.run(generation, leaseOwner).finally(() => (this.isBuilding = false));
    const wait = generation.createdAt.getTime() + KNOWN_MILLISECONDS - this.clock.now().getTime();
    if (building !== null && isDone && wait <= 0) {
      await this.switchTo(building);
      return 0;
    }
    await this.release(generation, leaseOwner, building === null && isDone);
    return building !== null && isDone ? wait : null;
  }

  /** @returns whether all vectors are made; false also if the model was ended, or another instance works on it */
  private async run(generation: Generation, leaseOwner: string): Promise<boolean> {
    const lost = new AbortController();
    const renew = async (): Promise<void> => {
      if (!(await this.lease(generation, leaseOwner, true))) {
        lost.abort();
      }
    };
    const timer = setInterval(() => {
      renew().catch((error: unknown) => this.logger.warn({ error }, 'A lease could not be renewed.'));
    }, RENEWAL_MILLISECONDS);
    try {
      return await this.fill(generation, AbortSignal.any([this.stopping.signal, lost.signal]));
    } catch (error) {
      if (lost.signal.aborted) {
        return false;
      }
      throw error;
    } finally {
      clearInterval(timer);
    }
  }

  /** @returns whether all passages have vectors, apart from those whose requests were lost */
  private async fill(generation: Generation, signal: AbortSignal): Promise<boolean> {
    for (let after = 0; ;) {
      signal.throwIfAborted();
      const [next] = await queryRows<Next>(this.database.manager, NEXT, [after, generation.id]);
      if (next === undefined) {
        return true;
      }
      after = next.ingestionId;
      const payment = { ownerId: next.ownerId ?? 0, payerId: generation.payerId ?? 0 };
      const { entryId, ingestionId } = next;
      const work = {
        ...{ ...next, ...payment, signal },
        onProgress: () => Promise.resolve(),
        holds: async (manager: EntityManager) =>
          (await findLocked(manager, KnowledgeEntryEntity, { id: entryId, ingestionId })) !== null,
      };
      const warning = await this.embedding.complete(work, generation).catch(warningOf);
      if (warning !== null && warning !== 'embeddings_lost') {
        this.logger.warn({ reason: warning }, 'Making the vectors of an embedding model pauses.');
        return false;
      }
    }
  }

  /** One instance works on a model. */
  private async lease({ id }: Generation, leaseOwner: string, isOwn = false): Promise<boolean> {
    const now = this.clock.now();
    const lease = { leaseOwner, leasedUntil: new Date(now.getTime() + LEASE_MILLISECONDS) };
    const leased = await this.database.write((manager) =>
      updateRows(manager, EmbeddingGenerationEntity, lease, isOwn ? OWN : FREE, [id, isOwn ? leaseOwner : now]),
    );
    return leased > 0;
  }

  /** @param isFilled whether the current model lacks no vectors any more */
  private async release({ id }: Generation, leaseOwner: string, isFilled: boolean): Promise<void> {
    await this.database.write(async (manager) => {
      const released = { leaseOwner: null, leasedUntil: null, ...(isFilled && { isFilling: false }) };
      await updateRows(manager, EmbeddingGenerationEntity, released, { id, leaseOwner });
      this.settings.changed();
    });
  }

  /** One transaction, so that every search uses the vectors of one model. */
  private async switchTo({ id }: Generation): Promise<void> {
    await this.database.write(async (manager) => {
      const isBuilding = { id, state: 'building' as const };
      const active = await this.settings.lockActive(manager);
      if (active.some((generation) => generation.id === id && generation.state === 'building')) {
        await updateRows(manager, EmbeddingGenerationEntity, { state: 'ended' }, { state: 'current' });
        await updateRows(
          manager,
          EmbeddingGenerationEntity,
          { state: 'current', leaseOwner: null, leasedUntil: null },
          isBuilding,
        );
        this.settings.changed();
      }
    });
    this.logger.log({ generation: id }, 'Searches use another embedding model from now on.');
  }

  /** Erases the vectors of models that no search uses any more, when all instances know it. */
  private async removeEnded(): Promise<void> {
    const ended = { state: 'ended' as const };
    for (const { id } of await findRows(this.database.manager, EmbeddingGenerationEntity, ended)) {
      await this.index.removeGeneration(id);
      await this.database.write((manager) =>
        updateRows(manager, EmbeddingGenerationEntity, { state: 'removed' }, { id, ...ended }),
      );
    }
  }
}

/** Passages that no longer exist need no vectors. */
function warningOf(error: unknown): EntryWarning | null {
  if (error instanceof JobGoneError) {
    return null;
  }
  if (error instanceof EmbeddingRefusedError) {
    return 'embeddings_failed';
  }
  throw error;
}
