import { SAME_CURRENCY, toExchangeRate, toMicros } from './file-number';

describe('a number in a price file', () => {
  it.each([
    ['1.25', 1_250_000n],
    [0.000001, 1n],
    [0.1 + 0.2, 300_000n],
    ['0.1000000000000000055511151231257827', 100_000n],
    [1.2 - 1, 200_000n],
    ['1e3', 1_000_000_000n],
    [1234567890.123456, 1_234_567_890_123_456n],
    ['1234567890.1234560000001', 1_234_567_890_123_456n],
  ])('%p is a whole number of millionths', (value, micros) => {
    expect(toMicros(value, 0, SAME_CURRENCY)).toEqual({ micros, isRounded: false });
  });

  it.each([
    ['many digits', '9'.repeat(101)],
    ['many decimals', `0.${'0'.repeat(101)}`],
    ['a word', 'free'],
    ['a negative number', '-1'],
  ])('with %s is not a price', (_what, value) => {
    expect(toMicros(value, 0, SAME_CURRENCY)).toBeNull();
  });

  it.each([
    [0.55, '0.92345', { micros: 507_898n, isRounded: true }],
    [0.000001, '0.5', { micros: 1n, isRounded: true }],
    [0.000001, '0.4', { micros: 0n, isRounded: true }],
    [2, '0.92345', { micros: 1_846_900n, isRounded: false }],
    [1234567890.123456, '2', { micros: 2_469_135_780_246_912n, isRounded: false }],
    [0.1 + 0.2, '2', { micros: 600_000n, isRounded: true }],
  ])('%p is rounded half up where it is converted at %p', (value, rate, expected) => {
    expect(toMicros(value, 0, toExchangeRate(rate))).toEqual(expected);
  });

  // As a BigInt, five million digits take ten seconds and more.
  it('is refused however long it is', () => {
    expect(toMicros('9'.repeat(5_000_000), 0, SAME_CURRENCY)).toBeNull();
  });
});
