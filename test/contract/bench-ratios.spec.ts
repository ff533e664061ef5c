import { ratioOf } from '../../bench/support/ratios';

const pairsOf = (logarithms: number[]): [number, number][] => logarithms.map((value) => [100 * Math.exp(value), 100]);

describe('the ratio of two builds', () => {
  it.each([
    // By the table of Student's t-distribution: 4.303 for 2 degrees of freedom, 2.262 for 9.
    { logarithms: [0.1, 0.2, 0.3], center: 0.2, margin: (4.303 * 0.1) / Math.sqrt(3) },
    {
      logarithms: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => n / 100),
      center: 0.055,
      margin: (2.262 * 0.030277) / Math.sqrt(10),
    },
  ])('has the interval of the table for $logarithms', ({ logarithms, center, margin }) => {
    const { ratio, low, high } = ratioOf(pairsOf(logarithms));
    expect(Math.log(ratio)).toBeCloseTo(center, 6);
    expect(center - Math.log(low)).toBeCloseTo(margin, 3);
    expect(Math.log(high) - center).toBeCloseTo(margin, 3);
  });

  it('is unbounded for a single pair', () => {
    expect(ratioOf(pairsOf([0.1]))).toMatchObject({ low: 0, high: Infinity });
  });
});
