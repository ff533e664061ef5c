import fc from 'fast-check';
import type { Price } from './price';
import { PriceList } from './price-list';

const RATES = {
  input: 1n,
  cachedInput: null,
  cacheWrite: null,
  output: 1n,
  reasoning: null,
  perRequest: null,
  perImage: null,
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
