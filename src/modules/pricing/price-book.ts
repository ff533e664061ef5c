import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { SharedCache } from '../../common/cache/shared-cache';
import type { Amount } from '../../common/money/amount';
import { RedisConnection } from '../../common/redis/redis-connection';
import { Database } from '../../database/database';
import { findRows } from '../../database/statements/find';
import { runForRow } from '../../database/statements/run-statement';
import { updateRows } from '../../database/statements/update';
import { LanguageModels } from '../../integrations/llm/language-models';
import { toPriceParts, type UsedPriceDto } from './administration/price.dto';
import { PriceEntity } from './price.entity';
import { costOf, type EstimatedUsage, highestCost, type Price, type PricedUsage, PriceList } from './rules/price';
import { type KnownPrice, toPrice } from './rules/stored-price';

/** A model of a provider, by the names used in requests. */
export interface ProviderModel {
  provider: string;
  model: string;
}

/** A request to a model. */
export interface UsedModel extends ProviderModel {
  /** The name in the request, not the name that the model reports. */
  model: string;
  usage: PricedUsage;
  /** When it began. */
  askedAt: Date;
}

/** A cost, and the price from which it was calculated. */
export interface Cost {
  /** Null if the model has no price, which differs from zero. */
  cost: Amount | null;
  /** Null if the model has no price, or is the service's own, which is free. */
  priceId: number | null;
}

/** The most that a request may cost. */
export interface CostEstimate {
  /** For the models that have a price. */
  cost: Amount;
  /** The models without a price. */
  unpriced: ProviderModel[];
}

/** The price of models that run in the service itself. */
export const FREE: Price = {
  id: 0,
  provider: null,
  model: '*',
  validFrom: new Date(0),
  input: 0n,
  cachedInput: null,
  cacheWrite: null,
  cacheWrite1h: null,
  output: 0n,
  reasoning: null,
  perRequest: null,
  perImage: null,
  perWebSearch: null,
  tiers: [],
};

// Prices are only added, or marked as deleted, so these counts reflect each change. The highest id or time would not:
// ids are assigned before rows are visible, and two prices may be deleted in one millisecond.
const STAMP = 'SELECT COUNT(*), COUNT(deleted_at) FROM prices';

/** The prices of models. Every reply needs them, so they are kept in memory, and read again only after a change. */
@Injectable()
export class PriceBook {
  private readonly cache: SharedCache<void, PriceList<KnownPrice>>;
  private known: { stamp: string; list: PriceList<KnownPrice> } | null = null;

  constructor(
    private readonly database: Database,
    private readonly models: LanguageModels,
    redis: RedisConnection,
  ) {
    this.cache = new SharedCache({ channel: 'prices', load: () => this.load(), database, redis });
  }

  /** All prices, including future ones. */
  list(): Promise<PriceList<KnownPrice>> {
    return this.cache.get();
  }

  /** Adds to the requests their cost by the prices that were valid when they began. Unanswered requests are free. */
  async price<Request extends UsedModel>(requests: readonly Request[]): Promise<(Request & Cost)[]> {
    const list = await this.list();
    return requests.map((request) => ({ ...request, ...this.costOf(list, request) }));
  }

  /** The DTOs of the prices with these ids. */
  async describe(ids: readonly number[]): Promise<Map<number, UsedPriceDto>> {
    const rows =
      ids.length === 0
        ? []
        : await findRows(this.database.manager, PriceEntity, { id: In([...ids]) }, { withDeleted: true });
    return new Map(rows.map((row) => [row.id, { id: row.id, ...toPriceParts(row) }]));
  }

  async hasPrice(model: ProviderModel, at: Date): Promise<boolean> {
    return this.find(await this.list(), model, at) !== null;
  }

  /**
   * The most that one request may cost with any of these models, in any tier.
   *
   * @param usageOf returns the most that a model may use
   */
  async dearest(
    usageOf: (model: ProviderModel) => EstimatedUsage,
    models: readonly ProviderModel[],
    at: Date,
  ): Promise<CostEstimate> {
    const list = await this.list();
    const estimate: CostEstimate = { cost: 0n, unpriced: [] };
    for (const model of models) {
      const price = this.find(list, model, at);
      if (price === null) {
        estimate.unpriced.push(model);
      } else {
        const cost = highestCost(price, usageOf(model));
        estimate.cost = cost > estimate.cost ? cost : estimate.cost;
      }
    }
    return estimate;
  }

  /**
   * Call it before requests to these models begin, in their transaction if there is one. The prices can then no longer
   * be deleted. The first request of a price stores this, on each instance; all others run no statement.
   */
  async markBegun(models: readonly ProviderModel[], at: Date): Promise<void> {
    const list = await this.list();
    const found = models.map((model) => this.find(list, model, at)).filter((price) => price !== null);
    const unused = found.filter(({ id }) => id !== FREE.id && !list.get(id)?.isUsed).map(({ id }) => id);
    if (unused.length > 0) {
      await this.database.write((manager) => this.markUsed(manager, unused));
    }
  }

  /** Call it in the transaction that writes a row of the ledger. The prices of such rows can no longer be deleted. */
  async markUsed(manager: EntityManager, priceIds: readonly (number | null)[]): Promise<void> {
    for (const id of new Set(priceIds)) {
      const price = id === null ? null : (this.known?.list.get(id) ?? null);
      if (id !== null && !price?.isUsed) {
        await updateRows(manager, PriceEntity, { isUsed: true }, { id });
        this.database.onCommit(() => price && (price.isUsed = true));
      }
    }
  }

  /** Call it within `Database.write` when prices were added or deleted. */
  changed(): void {
    this.cache.forgetOnCommit();
  }

  private costOf(list: PriceList<KnownPrice>, { provider, model, usage, askedAt }: UsedModel): Cost {
    if (usage.requests === 0) {
      return { cost: 0n, priceId: null };
    }
    const price = this.find(list, { provider, model }, askedAt);
    return price === null
      ? { cost: null, priceId: null }
      : { cost: costOf(price, usage), priceId: price.id === FREE.id ? null : price.id };
  }

  private find(list: PriceList<KnownPrice>, { provider, model }: ProviderModel, at: Date): Price | null {
    return this.models.kindOf(provider) === 'demo' ? FREE : list.find(provider, model, at);
  }

  private async load(): Promise<PriceList<KnownPrice>> {
    const { manager } = this.database;
    const stamp = JSON.stringify(await runForRow(manager, STAMP, []));
    if (this.known?.stamp !== stamp) {
      const rows = await findRows(manager, PriceEntity, {});
      this.known = { stamp, list: new PriceList(rows.map(toPrice)) };
    }
    return this.known.list;
  }
}
