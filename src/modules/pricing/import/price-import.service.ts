import { Injectable } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { insertBatch } from '../../../database/statements/insert';
import { toPriceParts } from '../administration/price.dto';
import { MissingPrices } from '../missing/missing-prices';
import { PriceEntity, type StoredTier } from '../price.entity';
import { PriceBook } from '../price-book';
import { priceImportAudit } from '../pricing.audit';
import { PricingConfig } from '../pricing.config';
import { type ExchangeRate, SAME_CURRENCY, toExchangeRate } from './file-number';
import { litellmModels } from './litellm';
import { modelsDevModels } from './models-dev';
import { type FileEntry, type FileModel, toEntry } from './price-file';
import type { ImportPricesQueryDto, PriceDifferenceDto, PriceFileFormat, PriceImportDto } from './price-import.dto';
import { toProviderMap } from './provider-map';

/** The currency of the files. */
const FILE_CURRENCY = 'USD';

/** How to read each format, and the decimal places from its prices to those per million tokens. */
const FORMATS: Record<PriceFileFormat, { read: (file: unknown) => Iterable<FileModel>; shift: number }> = {
  'models.dev': { read: modelsDevModels, shift: 0 },
  litellm: { read: litellmModels, shift: 6 },
};

/** Imports prices from public lists. Nothing is downloaded: an administrator sends the file. */
@Injectable()
export class PriceImportService {
  constructor(
    private readonly database: Database,
    private readonly config: PricingConfig,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly book: PriceBook,
    private readonly missing: MissingPrices,
  ) {}

  /** Imports the whole file or nothing. @throws ValidationFailedError (rate; a file without models) */
  async import(file: unknown, { format, dry_run, map, rate }: ImportPricesQueryDto): Promise<PriceImportDto> {
    const entries = this.read(file, format, map, this.exchangeRate(rate));
    if (dry_run) {
      return toReport(differencesOf(entries, await this.present()), true);
    }
    return this.database.write(async (manager) => {
      const now = this.clock.now();
      const differences = differencesOf(entries, await this.present());
      const report = toReport(differences, false);
      await insertBatch(
        manager,
        PriceEntity,
        differences.flatMap((difference) => toRow(difference, now)),
      );
      const { added, changed } = report;
      await this.events.publish(
        manager,
        priceImportAudit.change('create', { id: null, userId: null, before: null, after: { format, added, changed } }),
      );
      await this.missing.forget(manager);
      this.book.changed();
      return report;
    });
  }

  /** The entries of a file under the service's provider names, one for each model. */
  private read(file: unknown, format: PriceFileFormat, map: string | undefined, rate: ExchangeRate): OurEntry[] {
    const { read, shift } = FORMATS[format];
    const nameOf = toProviderMap(map);
    const seen = new Set<string>();
    const entries = [...read(file)].map((model): OurEntry => {
      const provider = nameOf(model.provider);
      if (provider === undefined) {
        return { provider: model.provider, model: model.model, price: null, reason: 'not_mapped' };
      }
      const entry = toEntry({ ...model, provider: provider ?? model.provider }, shift, rate);
      const key = keyOf(provider, model.model);
      const isSecond = entry.price !== null && seen.has(key);
      if (entry.price !== null) {
        seen.add(key);
      }
      return isSecond ? { ...entry, provider, price: null, reason: 'duplicate' } : { ...entry, provider };
    });
    if (entries.length === 0) {
      throw ValidationFailedError.of('body', 'invalid_format');
    }
    return entries;
  }

  private exchangeRate(rate: string | undefined): ExchangeRate {
    if (rate !== undefined) {
      return toExchangeRate(rate);
    }
    if (this.config.COST_CURRENCY !== FILE_CURRENCY) {
      throw ValidationFailedError.of('rate', 'required');
    }
    return SAME_CURRENCY;
  }

  /** The current prices, the newest of each provider and model. */
  private async present(): Promise<Map<string, PriceEntity>> {
    const valid = { validFrom: LessThanOrEqual(this.clock.now()) };
    const rows = await findRows(this.database.manager, PriceEntity, valid, { order: { validFrom: 'ASC', id: 'ASC' } });
    return new Map(rows.map((row) => [keyOf(row.provider, row.model), row]));
  }
}

/** A model of a file, with the service's name of its provider. */
type OurEntry = Omit<FileEntry, 'provider'> & { provider: string | null };

/** The outcome for a model; `unchanged` is only counted. */
type Difference = Omit<PriceDifferenceDto, 'result'> & { result: PriceDifferenceDto['result'] | 'unchanged' };

/** As JSON, so that a part of the provider's name cannot be mistaken for a part of the model's. */
function keyOf(provider: string | null, model: string): string {
  return JSON.stringify([provider, model]);
}

function differencesOf(entries: readonly OurEntry[], present: ReadonlyMap<string, PriceEntity>): Difference[] {
  return entries.map(({ provider, model, price, reason }) => {
    const row = present.get(keyOf(provider, model));
    const before = row === undefined ? null : toPriceParts(row);
    if (price === null) {
      return { result: 'skipped', provider, model, before, after: null, reason, rounded: false };
    }
    const after = { ...NO_RATES, ...price.rates, tiers: price.tiers };
    const result =
      before === null ? 'added' : JSON.stringify(before) === JSON.stringify(after) ? 'unchanged' : 'changed';
    return { result, provider, model, before, after, reason: null, rounded: price.isRounded };
  });
}

const NO_RATES = {
  input: '',
  cached_input: null,
  cache_write: null,
  cache_write_1h: null,
  output: '',
  reasoning: null,
  per_request: null,
  per_image: null,
  per_web_search: null,
};

/** The row that a difference creates; none for unchanged prices. */
function toRow({ result, provider, model, after }: Difference, now: Date): Omit<PriceEntity, 'id'>[] {
  if (after === null || result === 'unchanged') {
    return [];
  }
  const { input, cached_input, cache_write, cache_write_1h, output, reasoning, per_request, per_image, tiers } = after;
  return [
    {
      provider,
      model,
      validFrom: now,
      input,
      cachedInput: cached_input,
      cacheWrite: cache_write,
      cacheWrite1h: cache_write_1h,
      output,
      reasoning,
      perRequest: per_request,
      perImage: per_image,
      perWebSearch: after.per_web_search,
      tiers: tiers as StoredTier[],
      isUsed: false,
      createdAt: now,
      deletedAt: null,
    },
  ];
}

function toReport(differences: readonly Difference[], dry_run: boolean): PriceImportDto {
  const counts = { added: 0, changed: 0, unchanged: 0, skipped: 0, rounded: 0 };
  for (const { result, rounded } of differences) {
    counts[result]++;
    counts.rounded += rounded ? 1 : 0;
  }
  return { ...counts, dry_run, differences: differences.filter(isShown) };
}

/** Deliberately excluded models are only counted. */
function isShown(difference: Difference): difference is PriceDifferenceDto {
  return difference.result !== 'unchanged' && difference.reason !== 'not_mapped';
}
