import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { SharedCache } from '../../../common/cache/shared-cache';
import { Clock } from '../../../common/clock';
import { RedisConnection } from '../../../common/redis/redis-connection';
import { Database } from '../../../database/database';
import { countRows, findRows } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { CollectionModes } from '../collections/collection-mode';
import { EmbeddingConfig } from './embedding.config';
import { EmbeddingGenerationEntity, type GenerationState } from './embedding.entity';

/** An embedding model whose vectors are used, or being made. */
export type Generation = Readonly<EmbeddingGenerationEntity>;

/** The embedding models: the one that searches use, and the next one while its vectors are made. */
@Injectable()
export class EmbeddingSettings {
  private readonly cache: SharedCache<void, Generation[]>;

  constructor(
    private readonly database: Database,
    private readonly config: EmbeddingConfig,
    private readonly clock: Clock,
    modes: CollectionModes,
    redis: RedisConnection,
  ) {
    const load = (): Promise<Generation[]> => this.load();
    this.cache = new SharedCache({ channel: 'embedding-model', load, database, redis });
    modes.use(async () => ((await this.current()) === null ? 'words' : 'hybrid'));
    database.onReady(() => this.addFirst());
  }

  /** The model whose vectors searches use; null: there is only keyword search. */
  async current(): Promise<Generation | null> {
    return this.inState('current');
  }

  /** The model whose vectors are being made; null: none. */
  async building(): Promise<Generation | null> {
    return this.inState('building');
  }

  /** New passages get vectors of all of these. */
  active(): Promise<Generation[]> {
    return this.cache.get();
  }

  /** The active models, locked until the transaction ends. */
  lockActive(manager: EntityManager): Promise<Generation[]> {
    const active = { state: In(['current', 'building']) };
    return findRows(manager, EmbeddingGenerationEntity, active, { order: { id: 'ASC' }, lock: 'wait' });
  }

  /** Call it in the transaction of a change. */
  changed(): void {
    this.cache.forgetOnCommit();
  }

  /** The first vectors of a model have this length, and all others too. Call it in their transaction. */
  async setLength(manager: EntityManager, { id }: Generation, length: number): Promise<void> {
    await updateRows(manager, EmbeddingGenerationEntity, { length }, 'id = ? AND length IS NULL', [id]);
    this.changed();
  }

  private async inState(state: GenerationState): Promise<Generation | null> {
    return (await this.cache.get()).find((generation) => generation.state === state) ?? null;
  }

  private async load(): Promise<Generation[]> {
    const active = { state: In(['current', 'building']) };
    return findRows(this.database.manager, EmbeddingGenerationEntity, active, { order: { id: 'ASC' } });
  }

  /** The configuration counts until an administrator has changed the model. */
  private async addFirst(): Promise<void> {
    const { EMBEDDING_PROVIDER: provider, EMBEDDING_MODEL: model, EMBEDDING_DIMENSIONS: dimensions } = this.config;
    if (provider === null || model === null) {
      return;
    }
    await this.database.write(async (manager) => {
      if ((await countRows(manager, EmbeddingGenerationEntity, {})) === 0) {
        await insertRow(manager, EmbeddingGenerationEntity, {
          ...{ provider, model, dimensions: dimensions || null, length: null },
          ...{
            state: 'current' as const,
            payerId: null,
            createdAt: this.clock.now(),
            leaseOwner: null,
            leasedUntil: null,
          },
          isFilling: false,
        });
        this.changed();
      }
    });
  }
}
