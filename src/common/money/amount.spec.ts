import fc from 'fast-check';
import { addAmounts, formatAmount, formatDecimal, parseDecimal, PRICE_DECIMALS } from './amount';
import { fromParts, toParts, toWhole } from './stored-amount';

const amounts = fc.bigInt({ min: 0n, max: 10n ** 30n });

describe('money amounts', () => {
  it.each([
    [1_234_567_000n, '0.001234567'],
    [0n, '0'],
    [1n, '0.000000000001'],
    [10n ** 12n, '1'],
    [-2_500_000_000_000n, '-2.5'],
    [9_007_199_254_740_993n * 10n ** 12n + 1n, '9007199254740993.000000000001'],
  ])('%s pico-units are written as %s', (amount, text) => {
    expect(formatDecimal(amount)).toBe(text);
    expect(parseDecimal(text)).toBe(amount);
  });

  it.each(['', '.5', '5.', '1e-7', '+1', ' 1', '1,5', '0x1', 'NaN', '0.0000000000001'])(
    '%j is not an amount',
    (text) => {
      expect(parseDecimal(text)).toBeNull();
    },
  );

  it('may have any number of zeros after their last digit', () => {
    expect(parseDecimal('2.5000000000', PRICE_DECIMALS)).toBe(2_500_000n);
    expect(parseDecimal('2.5000001', PRICE_DECIMALS)).toBeNull();
  });

  it('are read as written', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
        fc.integer({ min: 0, max: 18 }),
        (parts, digits) => {
          const text = formatDecimal(parts, digits);
          expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d*[1-9])?$/);
          expect(parseDecimal(text, digits)).toBe(parts);
        },
      ),
    );
  });

  it('are the sum of the stored parts of each amount', () => {
    fc.assert(
      fc.property(fc.array(amounts), (each) => {
        const sums = each.map(toParts).reduce(
          (sum, { units, micros, picos }) => ({
            units: sum.units + units,
            micros: sum.micros + micros,
            picos: sum.picos + picos,
          }),
          { units: 0n, micros: 0n, picos: 0n },
        );
        expect(fromParts(sums)).toBe(each.reduce((sum, amount) => sum + amount, 0n));
      }),
    );
  });

  it('that are unknown are not zero', () => {
    expect(addAmounts(null, null)).toBeNull();
    expect(addAmounts(null, 0n)).toBe(0n);
    expect(addAmounts(2n, null)).toBe(2n);
    expect(formatAmount(null)).toBeNull();
  });

  it('are refused where a driver may have rounded them', () => {
    expect(toWhole('9007199254740993')).toBe(9_007_199_254_740_993n);
    expect(toWhole(null)).toBe(0n);
    expect(() => toWhole(2 ** 53)).toThrow(RangeError);
  });
});
