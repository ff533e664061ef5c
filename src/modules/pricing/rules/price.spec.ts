import fc from 'fast-check';
import { parseDecimal, PRICE_DECIMALS } from '../../../common/money/amount';
import {
  costOf,
  highestCost,
  NO_PRICED_USAGE,
  type Price,
  type PricedUsage,
  PriceList,
  type PriceTier,
  ratesFor,
} from './price';

const rate = (text: string): bigint => parseDecimal(text, PRICE_DECIMALS) as bigint;

const NOTHING_ELSE = {
  cachedInput: null,
  cacheWrite: null,
  cacheWrite1h: null,
  reasoning: null,
  perRequest: null,
  perImage: null,
  perWebSearch: null,
  tiers: [],
};

const aRate = fc.bigInt({ min: 0n, max: 10n ** 15n });
const maybe = fc.option(aRate);
const rates = {
  input: aRate,
  cachedInput: maybe,
  cacheWrite: maybe,
  cacheWrite1h: maybe,
  output: aRate,
  reasoning: maybe,
  perRequest: maybe,
  perImage: maybe,
  perWebSearch: maybe,
};
const tier: fc.Arbitrary<PriceTier> = fc.record(
  { minContext: fc.integer({ min: 0, max: 1_000_000 }), ...rates, input: aRate, output: aRate },
  { requiredKeys: ['minContext'] },
);
const aPrice = fc.record({
  ...rates,
  tiers: fc.uniqueArray(tier, { selector: ({ minContext }) => minContext, maxLength: 4 }),
});
const aUsage: fc.Arbitrary<PricedUsage> = fc
  .record({
    uncached: fc.nat(1_000_000),
    cached: fc.nat(1_000_000),
    cacheWrite: fc.nat(1_000_000),
    cacheWrite1h: fc.nat(1_000_000),
    spoken: fc.nat(1_000_000),
    reasoning: fc.nat(1_000_000),
    images: fc.nat(20),
    webSearches: fc.nat(20),
  })
  .map(({ uncached, cached, cacheWrite, cacheWrite1h, spoken, reasoning, ...counts }) => ({
    ...counts,
    prompt: uncached + cached + cacheWrite,
    completion: spoken + reasoning,
    cached,
    cacheWrite,
    cacheWrite1h: Math.min(cacheWrite1h, cacheWrite),
    reasoning,
    requests: 1,
  }));

describe('the cost of a usage', () => {
  const price = {
    ...NOTHING_ELSE,
    input: rate('2.5'),
    cachedInput: rate('0.25'),
    cacheWrite: rate('3.125'),
    cacheWrite1h: rate('5'),
    output: rate('10'),
    perRequest: rate('0.000001'),
    perImage: rate('0.01'),
    perWebSearch: rate('0.02'),
    tiers: [{ minContext: 200_000, input: rate('5'), output: rate('22.5') }],
  };

  it.each<[string, Partial<PricedUsage>, string]>([
    ['nothing', {}, '0'],
    ['a token', { prompt: 1 }, '0.0000025'],
    ['cached tokens in addition to others', { prompt: 100, cached: 40 }, '0.00016'],
    ['tokens that were written into the cache', { prompt: 100, cacheWrite: 100 }, '0.0003125'],
    ['tokens that were written for an hour too', { prompt: 100, cacheWrite: 100, cacheWrite1h: 60 }, '0.000425'],
    ['web searches', { webSearches: 2 }, '0.04'],
    ['reasoning, which is output', { completion: 10, reasoning: 7 }, '0.0001'],
    ['a request and images', { requests: 1, images: 3 }, '0.030001'],
    ['the last token below a tier', { prompt: 199_999 }, '0.4999975'],
    ['the first one of a tier, for all tokens', { prompt: 200_000, completion: 2 }, '1.000045'],
    ['a tier that only cached tokens lead to', { prompt: 200_000, cached: 199_999 }, '0.05000475'],
  ])('%s', (_case, usage, expected) => {
    expect(costOf(price, { ...NO_PRICED_USAGE, ...usage })).toBe(parseDecimal(expected));
  });

  it('is the sum of its parts, however providers group them', () => {
    fc.assert(
      fc.property(aPrice, aUsage, (any, usage) => {
        const chosen = ratesFor(any, usage.prompt);
        const micros = (each: bigint | null, tokens: number): bigint => (each ?? 0n) * BigInt(tokens);
        expect(costOf(any, usage)).toBe(
          micros(chosen.input, usage.prompt - usage.cached - usage.cacheWrite) +
            micros(chosen.cachedInput ?? chosen.input, usage.cached) +
            micros(chosen.cacheWrite ?? chosen.input, usage.cacheWrite - usage.cacheWrite1h) +
            micros(chosen.cacheWrite1h ?? chosen.cacheWrite ?? chosen.input, usage.cacheWrite1h) +
            micros(chosen.output, usage.completion - usage.reasoning) +
            micros(chosen.reasoning ?? chosen.output, usage.reasoning) +
            (micros(chosen.perRequest, 1) +
              micros(chosen.perImage, usage.images) +
              micros(chosen.perWebSearch, usage.webSearches)) *
              1_000_000n,
        );
      }),
    );
  });

  it('is never more than the estimate for the same tokens', () => {
    fc.assert(
      fc.property(aPrice, aUsage, fc.nat(1000), fc.nat(1000), (any, usage, more, longer) => {
        const { images, webSearches } = usage;
        const [prompt, completion] = [usage.prompt + more, usage.completion + longer];
        const estimated = { prompt, completion, images, webSearches };
        expect(costOf(any, usage) <= highestCost(any, estimated)).toBe(true);
      }),
    );
  });
});

describe('the tier of a prompt', () => {
  it('is the highest that starts at or below its length, in any order', () => {
    fc.assert(
      fc.property(aPrice, fc.nat(1_200_000), (any, prompt) => {
        const reached = any.tiers.filter(({ minContext }) => minContext <= prompt);
        const highest = reached.toSorted((one, other) => other.minContext - one.minContext)[0];
        const { tiers: _tiers, ...base } = any;
        const changed = Object.entries(highest ?? {}).filter(
          ([name, value]) => name !== 'minContext' && value !== null,
        );
        const expected = { ...base, ...Object.fromEntries(changed) };
        expect(ratesFor(any, prompt)).toMatchObject(expected);
        expect(ratesFor({ ...any, tiers: any.tiers.toReversed() }, prompt)).toMatchObject(expected);
      }),
    );
  });
});

const RATES = {
  input: 1n,
  cachedInput: null,
  cacheWrite: null,
  cacheWrite1h: null,
  output: 1n,
  reasoning: null,
  perRequest: null,
  perImage: null,
  perWebSearch: null,
  tiers: [],
};

function priceOf(id: number, model: string, provider: string | null = null, validFrom = 0): Price {
  return { ...RATES, id, model, provider, validFrom: new Date(validFrom) };
}

const AT = new Date(100);
const find = (prices: Price[], model: string, provider = 'p', at = AT): number | undefined =>
  new PriceList(prices).find(provider, model, at)?.id;

describe('the price that counts', () => {
  it.each<[string, Price[], string]>([
    ['exact before a prefix, even of the provider', [priceOf(1, 'gpt-5*', 'p'), priceOf(2, 'gpt-5')], 'gpt-5'],
    [
      'a longer prefix before a shorter one, even of the provider',
      [priceOf(1, 'gpt*', 'p'), priceOf(2, 'gpt-5*')],
      'gpt-5',
    ],
    ['the provider before any', [priceOf(2, 'm', 'p'), priceOf(1, 'm', null, 50)], 'm'],
    ['the latest that is valid', [priceOf(3, 'm', null, 101), priceOf(2, 'm', null, 100), priceOf(1, 'm')], 'm'],
    ['of two from the same moment the one that came last', [priceOf(1, 'm'), priceOf(2, 'm')], 'm'],
    ['a prefix with nothing behind it', [priceOf(2, 'm*')], 'm'],
    ['that of the tariff', [priceOf(1, 'm'), priceOf(3, 'm@priority'), priceOf(2, 'm@fast')], 'm@fast'],
    ['a prefix with the tariff', [priceOf(1, 'm*'), priceOf(2, 'm*@fast@geo-us')], 'm1@fast@geo-us'],
    ['the base price for a tier without its own', [priceOf(2, 'm*'), priceOf(1, 'm*@fast')], 'm1@priority'],
    ['a name with an @ that is no tariff', [priceOf(2, 'm*')], 'm@20260101'],
    ['the prefix of all', [priceOf(2, '*'), priceOf(1, 'other')], 'm'],
    ['an earlier name whose price is not valid yet gives way', [priceOf(1, 'm', null, 101), priceOf(2, 'm*')], 'm'],
  ])('%s', (_case, prices, model) => {
    expect(find(prices, model)).toBe(2);
    expect(find(prices.toReversed(), model)).toBe(2);
  });

  it.each<[string, Price]>([
    ['of another provider', priceOf(1, 'm', 'P')],
    ['of another case', priceOf(1, 'M')],
    ['with a wildcard in its middle, which is none', priceOf(1, 'm*x')],
    ['that begins later', priceOf(1, 'm', null, 101)],
  ])('none %s', (_case, price) => {
    expect(find([price], 'm')).toBeUndefined();
  });

  it('is the first by the rules, one after the other', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '*'), maxLength: 4 });
    const rows = fc.array(
      fc.record({ model: name, provider: fc.constantFrom(null, 'p', 'q'), validFrom: fc.nat(200) }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(rows, name, fc.nat(200), (each, model, at) => {
        const prices = each.map(({ provider, validFrom, ...row }, id) => priceOf(id, row.model, provider, validFrom));
        const isPrefix = (price: Price): boolean => price.model.endsWith('*');
        const matches = prices.filter(
          (price) =>
            price.validFrom.getTime() <= at &&
            (price.provider === null || price.provider === 'p') &&
            (isPrefix(price) ? model.startsWith(price.model.slice(0, -1)) : price.model === model),
        );
        const [first] = matches.toSorted(
          (one, other) =>
            +isPrefix(one) - +isPrefix(other) ||
            other.model.length - one.model.length ||
            +(one.provider === null) - +(other.provider === null) ||
            other.validFrom.getTime() - one.validFrom.getTime() ||
            other.id - one.id,
        );
        expect(find(prices, model, 'p', new Date(at))).toBe(first?.id);
      }),
    );
  });
});
