import { type Amount, PICOS_IN_MICRO } from '../../../common/money/amount';
import { splitTariff, withoutTier } from './tariff';

const WILDCARD = '*';

/**
 * All prices, to find the one that applies: exact names before prefixes, longer prefixes before shorter ones, then
 * prices of the provider before those of any provider, then the newest valid one. A name with a tariff (`@fast`) only
 * matches prices with the same tariff, whose prefix may be before it: `claude-*@fast`.
 */
export class PriceList<Row extends Price = Price> {
  /** By exact name. */
  private readonly exact = new Map<string, Row[]>();
  /** By prefix and tariff, longest prefix first. */
  private readonly prefixes: { prefix: string; tariff: string; prices: Row[] }[];
  private readonly byId: ReadonlyMap<number, Row>;

  constructor(readonly prices: readonly Row[]) {
    this.byId = new Map(prices.map((price) => [price.id, price]));
    const prefixes = new Map<string, Row[]>();
    for (const price of prices) {
      const isPrefix = splitTariff(price.model).model.endsWith(WILDCARD);
      const [map, name] = isPrefix ? [prefixes, price.model] : [this.exact, price.model];
      const same = map.get(name);
      if (same === undefined) {
        map.set(name, [price]);
      } else {
        same.push(price);
      }
    }
    this.prefixes = [...prefixes]
      .map(([name, rows]) => ({ ...patternOf(name), prices: rows }))
      .sort((one, other) => other.prefix.length - one.prefix.length);
  }

  get(id: number): Row | null {
    return this.byId.get(id) ?? null;
  }

  /**
   * The price of a model at a given time; null: it has none. A tier that the provider chose has the base price, unless it
   * has its own.
   */
  find(provider: string, name: string, at: Date): Row | null {
    const exact = newest(this.exact.get(name), provider, at);
    if (exact !== null) {
      return exact;
    }
    const { model, tariff } = splitTariff(name);
    for (const each of this.prefixes) {
      const isMatch = each.tariff === tariff && model.startsWith(each.prefix);
      const found = isMatch ? newest(each.prices, provider, at) : null;
      if (found !== null) {
        return found;
      }
    }
    const base = withoutTier(tariff);
    return base === tariff ? null : this.find(provider, model + base, at);
  }
}

function patternOf(name: string): { prefix: string; tariff: string } {
  const { model, tariff } = splitTariff(name);
  return { prefix: model.slice(0, -1), tariff };
}

/**
 * The price among those with the same name: the provider's own first, then the newest valid one; of equal ones the last
 * that was added.
 */
function newest<Row extends Price>(prices: readonly Row[] = [], provider: string, at: Date): Row | null {
  let best: Row | null = null;
  for (const price of prices) {
    const counts = price.validFrom <= at && (price.provider === null || price.provider === provider);
    if (counts && (best === null || isBefore(price, best))) {
      best = price;
    }
  }
  return best;
}

function isBefore(price: Price, other: Price): boolean {
  if ((price.provider === null) !== (other.provider === null)) {
    return price.provider !== null;
  }
  const later = price.validFrom.getTime() - other.validFrom.getTime();
  return later === 0 ? price.id > other.id : later > 0;
}

/**
 * Prices of a million tokens, or of one request or image, in micro-units of the currency. Null has the meaning in each
 * comment.
 */
export interface Rates {
  input: bigint;
  /** Prompt tokens that the provider had cached; null: same as `input`. */
  cachedInput: bigint | null;
  /** Prompt tokens that the provider wrote into its cache; null: same as `input`. */
  cacheWrite: bigint | null;
  /** Those that it keeps for an hour; null: same as `cacheWrite`. */
  cacheWrite1h: bigint | null;
  output: bigint;
  /** Reasoning tokens; null: same as `output`. */
  reasoning: bigint | null;
  /** For each request that the provider answered; null: free. */
  perRequest: bigint | null;
  /** For each image in the prompt; null: free. */
  perImage: bigint | null;
  /** For each web search that the provider made; null: free. */
  perWebSearch: bigint | null;
}

/** Different rates for long prompts. Omitted rates are those of the price itself. */
export interface PriceTier extends Partial<Rates> {
  /** The tier applies to the whole request from this number of prompt tokens, including cached ones. */
  minContext: number;
}

/** The price of a model from a start time. */
export interface Price extends Rates {
  id: number;
  /** Null: any provider with the model. */
  provider: string | null;
  /** The model's name, or a prefix followed by `*`. Names are case-sensitive. */
  model: string;
  validFrom: Date;
  tiers: readonly PriceTier[];
}

/** The billed usage of a request. */
export interface PricedUsage {
  /** All prompt tokens, including cached and written ones. */
  prompt: number;
  /** Including reasoning. */
  completion: number;
  cached: number;
  cacheWrite: number;
  /** The part of `cacheWrite` that the provider keeps for an hour. */
  cacheWrite1h: number;
  reasoning: number;
  /** Images in the prompt. */
  images: number;
  /** Web searches that the provider made. */
  webSearches: number;
  /** Requests that the provider answered. */
  requests: number;
}

export const NO_PRICED_USAGE: Readonly<PricedUsage> = {
  prompt: 0,
  completion: 0,
  cached: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  reasoning: 0,
  images: 0,
  webSearches: 0,
  requests: 0,
};

/** The most that may be used. */
export type EstimatedUsage = Pick<PricedUsage, 'prompt' | 'completion' | 'images'> & {
  /** Absent: none. */
  webSearches?: number | undefined;
};

type EstimatedUnits = Pick<EstimatedUsage, 'images' | 'webSearches'>;

/** The rates for a prompt of this many tokens. */
export function ratesFor(price: Rates & Pick<Price, 'tiers'>, promptTokens: number): Rates {
  let highest: PriceTier | null = null;
  for (const tier of price.tiers) {
    if (tier.minContext <= promptTokens && tier.minContext >= (highest?.minContext ?? 0)) {
      highest = tier;
    }
  }
  return highest === null ? price : withTier(price, highest);
}

/** The cost of this usage, exact to the pico-unit. */
export function costOf(price: Rates & Pick<Price, 'tiers'>, usage: PricedUsage): Amount {
  const rates = ratesFor(price, usage.prompt);
  const { input, cachedInput, cacheWrite, output, reasoning } = rates;
  const cached = BigInt(Math.min(usage.cached, usage.prompt));
  const written = BigInt(Math.min(usage.cacheWrite, usage.prompt - Math.min(usage.cached, usage.prompt)));
  const forHour = BigInt(usage.cacheWrite1h);
  const writtenForHour = forHour < written ? forHour : written;
  const thought = BigInt(Math.min(usage.reasoning, usage.completion));
  return (
    input * (BigInt(usage.prompt) - cached - written) +
    (cachedInput ?? input) * cached +
    (cacheWrite ?? input) * (written - writtenForHour) +
    (rates.cacheWrite1h ?? cacheWrite ?? input) * writtenForHour +
    output * (BigInt(usage.completion) - thought) +
    (reasoning ?? output) * thought +
    unitCost(rates, usage)
  );
}

/** The cost of what is not counted in tokens. */
function unitCost(
  { perRequest, perImage, perWebSearch }: Rates,
  { requests, images, webSearches = 0 }: Pick<PricedUsage, 'requests'> & EstimatedUnits,
): Amount {
  const micros =
    (perRequest ?? 0n) * BigInt(requests) +
    (perImage ?? 0n) * BigInt(images) +
    (perWebSearch ?? 0n) * BigInt(webSearches);
  return micros * PICOS_IN_MICRO;
}

/**
 * The most that one request may cost, for any share of cached or written prompt tokens, any share of reasoning, and any
 * tier.
 */
export function highestCost({ tiers, ...base }: Rates & Pick<Price, 'tiers'>, usage: EstimatedUsage): Amount {
  const costs = [base, ...tiers.map((tier) => withTier(base, tier))].map(
    (rates) =>
      dearest(rates.input, rates.cachedInput, rates.cacheWrite, rates.cacheWrite1h) * BigInt(usage.prompt) +
      dearest(rates.output, rates.reasoning) * BigInt(usage.completion) +
      unitCost(rates, { ...usage, requests: 1 }),
  );
  return dearest(...(costs as [bigint, ...bigint[]]));
}

function dearest(first: bigint, ...others: (bigint | null)[]): bigint {
  return others.reduce<bigint>((most, rate) => (rate !== null && rate > most ? rate : most), first);
}

function withTier(base: Rates, tier: PriceTier): Rates {
  return {
    input: tier.input ?? base.input,
    cachedInput: tier.cachedInput ?? base.cachedInput,
    cacheWrite: tier.cacheWrite ?? base.cacheWrite,
    cacheWrite1h: tier.cacheWrite1h ?? base.cacheWrite1h,
    output: tier.output ?? base.output,
    reasoning: tier.reasoning ?? base.reasoning,
    perRequest: tier.perRequest ?? base.perRequest,
    perImage: tier.perImage ?? base.perImage,
    perWebSearch: tier.perWebSearch ?? base.perWebSearch,
  };
}
