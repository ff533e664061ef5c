import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { type Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { orderOf } from '../../../common/envelope/sort';
import { DomainEvents } from '../../../common/events/domain-events';
import { parseDecimal, PRICE_DECIMALS } from '../../../common/money/amount';
import { Database } from '../../../database/database';
import { insertEntity } from '../../../database/statements/insert';
import { sortedPage } from '../../../database/statements/list-rows';
import { allOf, rowCondition, type RowsOf } from '../../../database/statements/row-condition';
import { findLocked } from '../../../database/statements/row-lock';
import { containsText } from '../../../database/statements/text-search';
import { updateRows } from '../../../database/statements/update';
import { MissingPrices } from '../missing/missing-prices';
import { PriceEntity, type StoredTier } from '../price.entity';
import { PriceBook } from '../price-book';
import { priceAudit } from '../pricing.audit';
import { PricingConfig } from '../pricing.config';
import { PriceInUseError, PriceNotFoundError } from '../pricing.errors';
import { RATE_NAMES, rateText } from '../rules/stored-price';
import {
  type CreatePriceDto,
  type DeletedPriceDto,
  type ListPricesQueryDto,
  type PriceDto,
  type PriceSortField,
  type PriceTierDto,
  toPriceDto,
} from './price.dto';

/** Manages prices for administrators: adds, lists, and deletes those that no request has used. */
@Injectable()
export class PricesService {
  constructor(
    private readonly database: Database,
    private readonly config: PricingConfig,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly book: PriceBook,
    private readonly missing: MissingPrices,
  ) {}

  async list(query: ListPricesQueryDto): Promise<Page<PriceDto>> {
    const { items, total } = await sortedPage(...this.matching(query), orderOf(query.sort), COLUMNS, partOf(query));
    return toPage(
      items.map((price) => toPriceDto(price, this.config.COST_CURRENCY)),
      total,
      query,
    );
  }

  async create(body: CreatePriceDto): Promise<PriceDto> {
    const now = this.clock.now();
    const price = await this.database.write(async (manager) => {
      const added = await insertEntity(manager, PriceEntity, {
        provider: body.provider ?? null,
        model: body.model,
        validFrom: body.valid_from ? new Date(body.valid_from) : now,
        input: canonical(body.input),
        cachedInput: maybeCanonical(body.cached_input),
        cacheWrite: maybeCanonical(body.cache_write),
        cacheWrite1h: maybeCanonical(body.cache_write_1h),
        output: canonical(body.output),
        reasoning: maybeCanonical(body.reasoning),
        perRequest: maybeCanonical(body.per_request),
        perImage: maybeCanonical(body.per_image),
        perWebSearch: maybeCanonical(body.per_web_search),
        tiers: (body.tiers ?? []).map(toStoredTier).sort((one, other) => one.min_context - other.min_context),
        isUsed: false,
        createdAt: now,
        deletedAt: null,
      });
      await this.events.publish(
        manager,
        priceAudit.change('create', { id: added.id, userId: null, before: null, after: added }),
      );
      await this.missing.forget(manager);
      this.book.changed();
      return added;
    });
    return toPriceDto(price, this.config.COST_CURRENCY);
  }

  /** @throws PriceNotFoundError, PriceInUseError */
  async remove(id: number): Promise<DeletedPriceDto> {
    await this.database.write(async (manager) => {
      const price = await findLocked(manager, PriceEntity, { id });
      if (price === null) {
        throw new PriceNotFoundError();
      }
      if (price.isUsed) {
        throw new PriceInUseError();
      }
      await updateRows(manager, PriceEntity, { deletedAt: this.clock.now() }, { id });
      await this.events.publish(manager, priceAudit.change('delete', { id, userId: null, before: price, after: null }));
      await this.missing.forget(manager);
      this.book.changed();
    });
    return { id };
  }

  private matching({ provider, q }: ListPricesQueryDto): RowsOf<PriceEntity> {
    const { manager } = this.database;
    const prices = rowCondition(manager, PriceEntity, provider === undefined ? {} : { provider });
    return [manager, PriceEntity, q ? allOf(prices, containsText(manager, 'model', q)) : prices];
  }
}

const COLUMNS: Record<PriceSortField, keyof PriceEntity> = {
  id: 'id',
  provider: 'provider',
  model: 'model',
  valid_from: 'validFrom',
  created_at: 'createdAt',
};

/** `1.50` and `1.5` are the same price, and are stored as the same text. @param rate valid by the body's rules */
function canonical(rate: string): string {
  return rateText(parseDecimal(rate, PRICE_DECIMALS) as bigint);
}

function maybeCanonical(rate: string | null | undefined): string | null {
  return rate === null || rate === undefined ? null : canonical(rate);
}

function toStoredTier(tier: PriceTierDto): StoredTier {
  const stored: StoredTier = { min_context: tier.min_context };
  for (const name of Object.keys(RATE_NAMES) as (keyof typeof RATE_NAMES)[]) {
    const rate = maybeCanonical(tier[name]);
    if (rate !== null) {
      stored[name] = rate;
    }
  }
  return stored;
}
