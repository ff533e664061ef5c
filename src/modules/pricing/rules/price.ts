import { type Amount, PICOS_IN_MICRO } from '../../../common/money/amount';

const WILDCARD = '*';

/**
 * All prices, to find the one that applies: exact names before prefixes, longer prefixes before shorter ones, then
 * prices of the provider before those of any provider, then the newest valid one.
 */
export class PriceList<Row extends Price = Price> {
  /** By exact name. */
  private readonly exact = new Map<string, Row[]>();
  /** By prefix, longest first. */
  private readonly prefixes: { prefix: string; prices: Row[] }[];
  private readonly byId: ReadonlyMap<number, Row>;

  constructor(readonly prices: readonly Row[]) {
    this.byId = new Map(prices.map((price) => [price.id, price]));
    const prefixes = new Map<string, Row[]>();
    for (const price of prices) {
      const isPrefix = price.model.endsWith(WILDCARD);
      const [map, name] = isPrefix ? [prefixes, price.model.slice(0, -1)] : [this.exact, price.model];
      const same = map.get(name);
      if (same === undefined) {
        map.set(name, [price]);
      } else {
        same.push(price);
      }
    }
    this.prefixes = [...prefixes]
      .map(([prefix, rows]) => ({ prefix, prices: rows }))
      .sort((one, other) => other.prefix.length - one.prefix.length);
  }

  get(id: number): Row | null {
    return this.byId.get(id) ?? null;
  }

  /** The price of a model at a given time; null: it has none. */
  find(provider: string, model: string, at: Date): Row | null {
    const exact = newest(this.exact.get(model), provider, at);
    if (exact !== null) {
      return exact;
    }
    for (const { prefix, prices } of this.prefixes) {
      const found = model.startsWith(prefix) ? newest(prices, provider, at) : null;
      if (found !== null) {
        return found;
      }
    }
    return null;
  }
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
  output: bigint;
  /** Reasoning tokens; null: same as `output`. */
  reasoning: bigint | null;
  /** For each request that the provider answered; null: free. */
  perRequest: bigint | null;
  /** For each image in the prompt; null: free. */
  perImage: bigint | null;
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
  reasoning: number;
  /** Images in the prompt. */
  images: number;
  /** Requests that the provider answered. */
  requests: number;
}

/** The most that may be used. */
export type EstimatedUsage = Pick<PricedUsage, 'prompt' | 'completion' | 'images'>;

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
  const { input, cachedInput, cacheWrite, output, reasoning, perRequest, perImage } = ratesFor(price, usage.prompt);
  const cached = BigInt(Math.min(usage.cached, usage.prompt));
  const written = BigInt(Math.min(usage.cacheWrite, usage.prompt - Math.min(usage.cached, usage.prompt)));
  const thought = BigInt(Math.min(usage.reasoning, usage.completion));
  return (
    input * (BigInt(usage.prompt) - cached - written) +
    (cachedInput ?? input) * cached +
    (cacheWrite ?? input) * written +
    output * (BigInt(usage.completion) - thought) +
    (reasoning ?? output) * thought +
    ((perRequest ?? 0n) * BigInt(usage.requests) + (perImage ?? 0n) * BigInt(usage.images)) * PICOS_IN_MICRO
  );
}

/**
 * The most that one request may cost, for any share of cached or written prompt tokens, any share of reasoning, and any
 * tier.
 */
export function highestCost({ tiers, ...base }: Rates & Pick<Price, 'tiers'>, usage: EstimatedUsage): Amount {
  const costs = [base, ...tiers.map((tier) => withTier(base, tier))].map(
    ({ input, cachedInput, cacheWrite, output, reasoning, perRequest, perImage }) =>
      dearest(input, cachedInput, cacheWrite) * BigInt(usage.prompt) +
      dearest(output, reasoning) * BigInt(usage.completion) +
      ((perRequest ?? 0n) + (perImage ?? 0n) * BigInt(usage.images)) * PICOS_IN_MICRO,
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
    output: tier.output ?? base.output,
    reasoning: tier.reasoning ?? base.reasoning,
    perRequest: tier.perRequest ?? base.perRequest,
    perImage: tier.perImage ?? base.perImage,
  };
}
