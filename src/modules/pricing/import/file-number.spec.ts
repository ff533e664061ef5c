import { SAME_CURRENCY, toMicros } from './file-number';

describe('a number of a price file', () => {
  it.each([
    ['1.25', 1_250_000n],
    [0.000001, 1n],
    ['1e3', 1_000_000_000n],
  ])('%p is a whole number of millionths', (value, micros) => {
    expect(toMicros(value, 0, SAME_CURRENCY)).toBe(micros);
  });

  it.each([
    ['many digits', '9'.repeat(101)],
    ['many decimals', `0.${'0'.repeat(101)}`],
    ['a word', 'free'],
    ['a negative number', '-1'],
  ])('with %s is no price', (_what, value) => {
    expect(toMicros(value, 0, SAME_CURRENCY)).toBeNull();
  });

  it('is not read for seconds, however long it is', () => {
    const long = '9'.repeat(5_000_000);
    const began = performance.now();
    expect(toMicros(long, 0, SAME_CURRENCY)).toBeNull();
    expect(performance.now() - began).toBeLessThan(500);
  });
});
