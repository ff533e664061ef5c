import type { Price } from './price';

const WILDCARD = '*';

/**
 * All prices, for finding the one that counts: exact names before prefixes, longer prefixes before shorter ones, then those of
 * the provider before those of any, then the newest that is valid.
 */
export class PriceList<Row extends Price = Price> {
  /** By the exact name. */
  private readonly exact = new Map<string, Row[]>();
  /** By the prefix, longest first. */
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

  /** The price of a model at a time; null: it has none. */
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

/** Of those with the same name: the provider's before any, then the newest that is valid; of equals the last that was added. */
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
