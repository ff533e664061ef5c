import { formatDecimal, parseDecimal, PRICE_DECIMALS } from '../../../common/money/amount';
import type { PriceEntity, StoredTier } from '../price.entity';
import type { Price, PriceTier, Rates } from './price';

/** A price with the facts that only the table has. */
export interface KnownPrice extends Price {
  /** Whether the ledger refers to it. */
  isUsed: boolean;
}

/** The rates of a tier, by their names on the wire. */
export const RATE_NAMES = {
  input: 'input',
  cached_input: 'cachedInput',
  cache_write: 'cacheWrite',
  cache_write_1h: 'cacheWrite1h',
  output: 'output',
  reasoning: 'reasoning',
  per_request: 'perRequest',
  per_image: 'perImage',
  per_web_search: 'perWebSearch',
} as const satisfies Record<Exclude<keyof StoredTier, 'min_context'>, keyof Rates>;

export type RateName = keyof typeof RATE_NAMES;

export function toPrice(row: PriceEntity): KnownPrice {
  const { id, provider, model, validFrom, isUsed, tiers } = row;
  return {
    id,
    provider,
    model,
    validFrom,
    isUsed,
    input: toRate(row.input),
    cachedInput: toMaybeRate(row.cachedInput),
    cacheWrite: toMaybeRate(row.cacheWrite),
    cacheWrite1h: toMaybeRate(row.cacheWrite1h),
    output: toRate(row.output),
    reasoning: toMaybeRate(row.reasoning),
    perRequest: toMaybeRate(row.perRequest),
    perImage: toMaybeRate(row.perImage),
    perWebSearch: toMaybeRate(row.perWebSearch),
    tiers: tiers.map(toTier),
  };
}

function toTier({ min_context: minContext, ...rates }: StoredTier): PriceTier {
  const tier: PriceTier = { minContext };
  for (const [name, rate] of Object.entries(rates)) {
    tier[RATE_NAMES[name as RateName]] = toRate(rate);
  }
  return tier;
}

function toMaybeRate(text: string | null): bigint | null {
  return text === null ? null : toRate(text);
}

/** @throws RangeError for a text that this service cannot have stored */
function toRate(text: string): bigint {
  const rate = parseDecimal(text, PRICE_DECIMALS);
  if (rate === null) {
    throw new RangeError(`"${text}" is no price.`);
  }
  return rate;
}

/** The text of a rate, as stored and shown. */
export function rateText(rate: bigint): string {
  return formatDecimal(rate, PRICE_DECIMALS);
}
