import fc from 'fast-check';
import { parseDecimal, PRICE_DECIMALS } from '../../../common/money/amount';
import { costOf, highestCost, type PricedUsage, type PriceTier, ratesFor } from './price';

const NO_USAGE: PricedUsage = {
  prompt: 0,
  completion: 0,
  cached: 0,
  cacheWrite: 0,
  reasoning: 0,
  images: 0,
  requests: 0,
};

const rate = (text: string): bigint => parseDecimal(text, PRICE_DECIMALS) as bigint;

const NOTHING_ELSE = {
  cachedInput: null,
  cacheWrite: null,
  reasoning: null,
  perRequest: null,
  perImage: null,
  tiers: [],
};

const aRate = fc.bigInt({ min: 0n, max: 10n ** 15n });
const maybe = fc.option(aRate);
const rates = {
  input: aRate,
  cachedInput: maybe,
  cacheWrite: maybe,
  output: aRate,
  reasoning: maybe,
  perRequest: maybe,
  perImage: maybe,
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
    spoken: fc.nat(1_000_000),
    reasoning: fc.nat(1_000_000),
    images: fc.nat(20),
  })
  .map(({ uncached, cached, cacheWrite, spoken, reasoning, images }) => ({
    prompt: uncached + cached + cacheWrite,
    completion: spoken + reasoning,
    cached,
    cacheWrite,
    reasoning,
    images,
    requests: 1,
  }));

describe('what a usage costs', () => {
  const price = {
    ...NOTHING_ELSE,
    input: rate('2.5'),
    cachedInput: rate('0.25'),
    cacheWrite: rate('3.125'),
    output: rate('10'),
    perRequest: rate('0.000001'),
    perImage: rate('0.01'),
    tiers: [{ minContext: 200_000, input: rate('5'), output: rate('22.5') }],
  };

  it.each<[string, Partial<PricedUsage>, string]>([
    ['nothing', {}, '0'],
    ['a token', { prompt: 1 }, '0.0000025'],
    ['cached tokens beside others', { prompt: 100, cached: 40 }, '0.00016'],
    ['tokens that were written into the cache', { prompt: 100, cacheWrite: 100 }, '0.0003125'],
    ['reasoning, which is output', { completion: 10, reasoning: 7 }, '0.0001'],
    ['a request and images', { requests: 1, images: 3 }, '0.030001'],
    ['the last token below a tier', { prompt: 199_999 }, '0.4999975'],
    ['the first one of a tier, for all tokens', { prompt: 200_000, completion: 2 }, '1.000045'],
    ['a tier that only cached tokens lead to', { prompt: 200_000, cached: 199_999 }, '0.05000475'],
  ])('%s', (_case, usage, expected) => {
    expect(costOf(price, { ...NO_USAGE, ...usage })).toBe(parseDecimal(expected));
  });

  it('is the sum of its pieces, whichever way providers count them together', () => {
    fc.assert(
      fc.property(aPrice, aUsage, (any, usage) => {
        const chosen = ratesFor(any, usage.prompt);
        const micros = (each: bigint | null, tokens: number): bigint => (each ?? 0n) * BigInt(tokens);
        expect(costOf(any, usage)).toBe(
          micros(chosen.input, usage.prompt - usage.cached - usage.cacheWrite) +
            micros(chosen.cachedInput ?? chosen.input, usage.cached) +
            micros(chosen.cacheWrite ?? chosen.input, usage.cacheWrite) +
            micros(chosen.output, usage.completion - usage.reasoning) +
            micros(chosen.reasoning ?? chosen.output, usage.reasoning) +
            (micros(chosen.perRequest, 1) + micros(chosen.perImage, usage.images)) * 1_000_000n,
        );
      }),
    );
  });

  it('is never more than what was estimated for so many tokens', () => {
    fc.assert(
      fc.property(aPrice, aUsage, fc.nat(1000), fc.nat(1000), (any, usage, more, longer) => {
        const estimated = { prompt: usage.prompt + more, completion: usage.completion + longer, images: usage.images };
        expect(costOf(any, usage) <= highestCost(any, estimated)).toBe(true);
      }),
    );
  });
});

describe('the tier of a prompt', () => {
  it('is the highest that begins at its length or below, whatever their order', () => {
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
