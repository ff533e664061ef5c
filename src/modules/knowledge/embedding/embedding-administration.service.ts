import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { insertEntity } from '../../../database/statements/insert';
import { queryRows } from '../../../database/statements/query';
import { updateRows } from '../../../database/statements/update';
import { EmbeddingModels } from '../../../integrations/llm/embedding-models';
import { ENVIRONMENT_PROVIDER } from '../../../integrations/llm/port/provider-definition';
import { ManagedProviderStore } from '../../../integrations/llm/providers/managed-provider.store';
import { EmbeddingPayments } from '../../generation/generation.api';
import { embeddingAudit } from './embedding.audit';
import { EmbeddingGenerationEntity, EmbeddingQueryEntity } from './embedding.entity';
import { EmbeddingChangeRunningError, EmbeddingProviderUnusableError } from './embedding.errors';
import { EmbeddingBuild } from './embedding-build';
import type { EmbeddingCostDto, EmbeddingModelDto } from './embedding-model.dto';
import { EmbeddingSettings, type Generation } from './embedding-settings';

/** The embedding model that an administrator wants. */
export interface WantedModel {
  provider: string;
  model: string;
  dimensions: number | null;
}

/** Passages that searches see, without vectors of a model: all of them, and the tokens of distinct texts of an owner. */
const MISSING = `SELECT COUNT(*) AS passages, COALESCE(SUM(CASE WHEN turn = 1 THEN tokens ELSE 0 END), 0) AS tokens FROM
  (SELECT passage.tokens AS tokens,
      ROW_NUMBER() OVER (PARTITION BY COALESCE(text.owner_id, 0), passage.hash ORDER BY passage.id) AS turn
    FROM knowledge_passages passage
    JOIN knowledge_entries entry ON entry.ingestion_id = passage.ingestion_id
    JOIN knowledge_texts text ON text.id = passage.text_id
    WHERE NOT EXISTS
      (SELECT 1 FROM knowledge_vectors kept WHERE kept.passage_id = passage.id AND kept.generation = ?)) missing`;

const COUNT = `SELECT COUNT(*) AS total, COUNT(kept.passage_id) AS done FROM knowledge_passages passage
  JOIN knowledge_entries entry ON entry.ingestion_id = passage.ingestion_id
  LEFT JOIN knowledge_vectors kept ON kept.passage_id = passage.id AND kept.generation = ?`;

/** Changes the embedding model. */
@Injectable()
export class EmbeddingAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly settings: EmbeddingSettings,
    private readonly models: EmbeddingModels,
    private readonly providers: ManagedProviderStore,
    private readonly payments: EmbeddingPayments,
    private readonly build: EmbeddingBuild,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {
    models.onUse(async (manager, provider) =>
      (await settings.lockActive(manager)).some((generation) => generation.provider === provider),
    );
  }

  async describe(): Promise<EmbeddingModelDto> {
    const [current, building] = [await this.settings.current(), await this.settings.building()];
    const shown = current ?? building;
    return {
      provider: shown?.provider ?? null,
      model: shown?.model ?? null,
      dimensions: shown?.dimensions ?? shown?.length ?? null,
      building: building && (await this.progressOf(building)),
    };
  }

  /** What a change would cost. @throws EmbeddingProviderUnusableError */
  async estimate(wanted: WantedModel): Promise<EmbeddingCostDto> {
    this.requireUsable(wanted);
    const current = await this.settings.current();
    const generation = current !== null && isSame(current, wanted) ? current.id : 0;
    const [row] = await queryRows<{ passages: number | string; tokens: number | string }>(
      this.database.manager,
      MISSING,
      [generation],
    );
    const tokens = Number(row?.tokens);
    return { passages: Number(row?.passages), tokens, cost: await this.payments.estimate(wanted, tokens) };
  }

  /**
   * Begins to make the vectors of another model; searches change over when all are made. With the current model, it
   * makes those that are missing.
   *
   * @throws EmbeddingProviderUnusableError, EmbeddingChangeRunningError
   */
  async change(wanted: WantedModel, administratorId: number): Promise<void> {
    this.requireUsable(wanted);
    await this.database.write(async (manager) => {
      await this.holdProvider(manager, wanted);
      const active = await this.settings.lockActive(manager);
      const current = active.find(({ state }) => state === 'current') ?? null;
      if (active.some(({ state }) => state === 'building')) {
        throw new EmbeddingChangeRunningError();
      }
      if (current !== null && isSame(current, wanted)) {
        await updateRows(
          manager,
          EmbeddingGenerationEntity,
          { payerId: administratorId, isFilling: true },
          { id: current.id },
        );
      } else {
        const row = {
          ...wanted,
          length: null,
          payerId: administratorId,
          createdAt: this.clock.now(),
          isFilling: false,
          leaseOwner: null,
          leasedUntil: null,
        };
        await insertEntity(manager, EmbeddingGenerationEntity, { ...row, state: 'building' as const });
      }
      this.settings.changed();
      await this.events.publish(
        manager,
        embeddingAudit.change('update', { id: null, userId: null, before: current, after: wanted }),
      );
    });
    this.build.wake();
  }

  /** Ends semantic search and a change that runs, and erases all vectors. */
  async remove(): Promise<void> {
    await this.database.write((manager) => this.endAll(manager));
    this.build.wake();
  }

  private async endAll(manager: EntityManager): Promise<void> {
    const active = await this.settings.lockActive(manager);
    if (active.length === 0) {
      return;
    }
    const ids = In(active.map(({ id }) => id));
    await updateRows(manager, EmbeddingGenerationEntity, { state: 'ended' }, { id: ids });
    await deleteRows(manager, EmbeddingQueryEntity, { generation: ids });
    this.settings.changed();
    const before = active[0] ?? null;
    await this.events.publish(
      manager,
      embeddingAudit.change('delete', { id: null, userId: null, before, after: null }),
    );
  }

  /** So that it is not deleted at the same time. Its row is locked first, as by a deletion. */
  private async holdProvider(manager: EntityManager, { provider }: WantedModel): Promise<void> {
    const isManaged = provider !== ENVIRONMENT_PROVIDER;
    if (isManaged && !(await this.providers.hold(manager, provider, []))) {
      throw new EmbeddingProviderUnusableError();
    }
  }

  private requireUsable({ provider }: WantedModel): void {
    if (!this.models.canEmbed(provider)) {
      throw new EmbeddingProviderUnusableError();
    }
  }

  private async progressOf({ id }: Generation): Promise<{ done: number; total: number }> {
    const [row] = await queryRows<{ done: number | string; total: number | string }>(this.database.manager, COUNT, [
      id,
    ]);
    return { done: Number(row?.done), total: Number(row?.total) };
  }
}

function isSame(generation: Generation, { provider, model, dimensions }: WantedModel): boolean {
  return (
    generation.provider === provider &&
    generation.model === model &&
    (generation.dimensions === dimensions || generation.length === dimensions)
  );
}
