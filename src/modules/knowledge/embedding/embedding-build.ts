import { Injectable, Logger } from '@nestjs/common';
import type { BackgroundLoop } from '../../../common/background/background-loop';
import { Lifecycle } from '../../../common/lifecycle';
import { MINUTE_MILLISECONDS, SECOND_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { findRows } from '../../../database/statements/find';
import { queryRows } from '../../../database/statements/query';
import { updateRows } from '../../../database/statements/update';
import { PassageIndex } from '../../../integrations/passage-index/passage-index';
import { EmbeddingGenerationEntity } from './embedding.entity';
import { EmbeddingSettings, type Generation } from './embedding-settings';
import { PassageEmbedding } from './passage-embedding';

/** All instances know of a change then, and make vectors of both models for new passages. */
const KNOWN_MILLISECONDS = 6 * SECOND_MILLISECONDS;

/** Another instance takes over if this one stops working on the vectors for so long. */
const LEASE_MILLISECONDS = 2 * MINUTE_MILLISECONDS;

/** The next set of passages that lacks vectors. */
const NEXT = `SELECT passage.ingestion_id AS ingestionId, MIN(passage.store_id) AS storeId, MIN(text.owner_id) AS ownerId
  FROM knowledge_passages passage
  JOIN knowledge_entries entry ON entry.ingestion_id = passage.ingestion_id
  JOIN knowledge_texts text ON text.id = passage.text_id
  WHERE passage.ingestion_id > ? AND NOT EXISTS
    (SELECT 1 FROM knowledge_vectors stored WHERE stored.passage_id = passage.id AND stored.generation = ?)
  GROUP BY passage.ingestion_id ORDER BY passage.ingestion_id LIMIT 1`;

/** Makes the vectors of another embedding model in the background, and switches searches to it when all are made. */
@Injectable()
export class EmbeddingBuild {
  private readonly logger = new Logger(EmbeddingBuild.name);
  private readonly stopping = new AbortController();
  private readonly loop: BackgroundLoop;
  /** Whether vectors of the current model are missing, by the word of an administrator. */
  private fills = false;

  constructor(
    private readonly database: Database,
    private readonly settings: EmbeddingSettings,
    private readonly embedding: PassageEmbedding,
    private readonly index: PassageIndex,
    private readonly clock: SharedClock,
    background: BackgroundWork,
    lifecycle: Lifecycle,
  ) {
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

  /** @param fills whether vectors that the current model lacks are made too */
  wake(fills: boolean): void {
    this.fills ||= fills;
    this.loop.wake();
  }

  private async step(): Promise<number | null> {
    await this.removeEnded();
    const building = await this.settings.building();
    const generation = building ?? (this.fills ? await this.settings.current() : null);
    if (generation === null || !(await this.lease(generation))) {
      return null;
    }
    const isDone = await this.fill(generation);
    if (building === null) {
      this.fills = !isDone;
      return null;
    }
    const wait = building.createdAt.getTime() + KNOWN_MILLISECONDS - this.clock.now().getTime();
    if (isDone && wait > 0) {
      await this.release(building);
      return wait;
    }
    await (isDone ? this.switchTo(building) : this.release(building));
    return isDone ? 0 : null;
  }

  /** @returns whether all passages have vectors, apart from those whose requests were lost */
  private async fill(generation: Generation): Promise<boolean> {
    for (let after = 0; ;) {
      const [next] = await queryRows<{ ingestionId: number; storeId: number; ownerId: number | null }>(
        this.database.manager,
        NEXT,
        [after, generation.id],
      );
      if (next === undefined) {
        return true;
      }
      after = next.ingestionId;
      const payment = { ownerId: next.ownerId ?? 0, payerId: generation.payerId ?? 0 };
      const onProgress = async (): Promise<void> => {
        await this.lease(generation, true);
      };
      const work = { ...next, ...payment, signal: this.stopping.signal, onProgress };
      const warning = await this.embedding.complete(work, generation);
      if (warning !== null && warning !== 'embeddings_lost') {
        this.logger.warn({ reason: warning }, 'Making the vectors of an embedding model pauses.');
        return false;
      }
    }
  }

  /** One instance works on a model. */
  private async lease({ id }: Generation, isOwn = false): Promise<boolean> {
    const now = this.clock.now();
    const leasedUntil = new Date(now.getTime() + LEASE_MILLISECONDS);
    const free = isOwn
      ? { condition: 'id = ?', parameters: [id] }
      : { condition: 'id = ? AND (leased_until IS NULL OR leased_until <= ?)', parameters: [id, now] };
    return (
      (await this.database.write((manager) =>
        updateRows(manager, EmbeddingGenerationEntity, { leasedUntil }, free.condition, free.parameters),
      )) > 0
    );
  }

  private async release({ id }: Generation): Promise<void> {
    await this.database.write((manager) =>
      updateRows(manager, EmbeddingGenerationEntity, { leasedUntil: null }, { id }),
    );
  }

  /** One transaction, so that every search uses the vectors of one model. */
  private async switchTo({ id }: Generation): Promise<void> {
    await this.database.write(async (manager) => {
      const isBuilding = { id, state: 'building' as const };
      const active = await this.settings.lockActive(manager);
      if (active.some((generation) => generation.id === id && generation.state === 'building')) {
        await updateRows(manager, EmbeddingGenerationEntity, { state: 'ended' }, { state: 'current' });
        await updateRows(manager, EmbeddingGenerationEntity, { state: 'current', leasedUntil: null }, isBuilding);
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
