import Libsql from 'libsql';
import { NO_LATENCY } from './agent-stat-keys';
import { latencyBucket as sqlOfBucket, latencyDistribution, latencyPercentile } from './latency-histogram';

const bucketOf = new Libsql(':memory:').prepare(`SELECT ${sqlOfBucket('time')} AS bucket FROM (SELECT ? AS time)`);

function latencyBucket(time: number | null): number {
  return (bucketOf.get([time]) as { bucket: number }).bucket;
}

function histogramOf(times: number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const time of times) {
    counts.set(latencyBucket(time), (counts.get(latencyBucket(time)) ?? 0) + 1);
  }
  return counts;
}

describe('the latency histogram', () => {
  it('puts longer times into later buckets, the longest ones into the last bucket', () => {
    const buckets = [0, 20, 21, 100, 1_000, 10_000, 300_000, 1e9].map(latencyBucket);
    expect(buckets).toEqual([...buckets].sort((one, other) => one - other));
    expect(buckets[0]).toBe(0);
    expect(latencyBucket(1e12)).toBe(latencyBucket(1e9));
    expect(latencyBucket(null)).toBe(NO_LATENCY);
  });

  it.each([25, 180, 999, 4_321, 60_000, 290_000])('finds a single time of %d ms, exact to 10 %%', (time) => {
    const median = latencyPercentile(histogramOf([time]), 0.5) ?? 0;
    expect(Math.abs(median - time) / time).toBeLessThan(0.1);
  });

  it('finds percentiles, exact to 10 %', () => {
    const counts = histogramOf(Array.from({ length: 1_000 }, (_, index) => 100 + index));
    expect(Math.abs((latencyPercentile(counts, 0.5) ?? 0) / 600 - 1)).toBeLessThan(0.1);
    expect(Math.abs((latencyPercentile(counts, 0.95) ?? 0) / 1_050 - 1)).toBeLessThan(0.1);
  });

  it('does not depend on the order of the buckets', () => {
    const counts = histogramOf([30, 30, 5_000]);
    expect(latencyPercentile(new Map([...counts].reverse()), 0.5)).toBe(latencyPercentile(counts, 0.5));
  });

  it('returns null when nothing was measured', () => {
    expect(latencyPercentile(new Map(), 0.95)).toBeNull();
  });

  it('returns the distribution in fixed classes, each time within its class', () => {
    const none = latencyDistribution(new Map());
    expect(none.map(({ count }) => count)).toEqual(Array<number>(28).fill(0));
    const times = [0, 20, 21, 28, 29, 1_000, 261_000, 262_000, 1e9];
    const classes = latencyDistribution(histogramOf(times));
    expect(classes.map(({ upTo }) => upTo)).toEqual(none.map(({ upTo }) => upTo));
    let from = -1;
    for (const { upTo, count } of classes) {
      const end = upTo ?? Infinity;
      expect([end, count]).toEqual([end, times.filter((time) => time > from && time <= end).length]);
      from = end;
    }
  });
});
