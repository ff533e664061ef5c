import { NO_LATENCY } from './agent-stat-keys';

/** Upper bound of the first bucket, in milliseconds. */
const FIRST_BOUND = 20;
/** Each bound is this many times the previous one, so that a percentile is accurate to 10 %. */
const GROWTH = 1.2;
/** This bucket begins above five minutes, the default limit of a reply. It has no upper bound. */
const LAST_BUCKET = 53;

/**
 * SQL for the bucket of a time, from 0; for null the bucket of work without a time.
 *
 * @param column the time in whole milliseconds, or null
 */
export function latencyBucket(column: string): string {
  const bounds = Array.from({ length: LAST_BUCKET }, (_, bucket) => boundOf(bucket));
  const cases = bounds.map((bound, bucket) => `WHEN ${column} <= ${bound} THEN ${bucket}`);
  return `CASE WHEN ${column} IS NULL THEN ${NO_LATENCY} ${cases.join(' ')} ELSE ${LAST_BUCKET} END`;
}

/**
 * A percentile in milliseconds: a share of `share` of all measured times is not longer. Null if none was measured.
 *
 * @param counts numbers of measured times by bucket
 * @param share such as 0.95
 */
export function latencyPercentile(counts: ReadonlyMap<number, number>, share: number): number | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  let reached = 0;
  for (const [bucket, count] of [...counts].sort(([one], [other]) => one - other)) {
    reached += count;
    if (count > 0 && reached >= share * total) {
      return Math.round(FIRST_BOUND * GROWTH ** (bucket - 0.5));
    }
  }
  return null;
}

/** The number of times up to a bound and above the previous bound. */
export interface LatencyClass {
  /** Milliseconds; null: there is no bound. */
  upTo: number | null;
  count: number;
}

/**
 * The distribution for a plot, ascending. The bounds are always the same, 44 % apart.
 *
 * @param counts numbers of measured times by bucket
 */
export function latencyDistribution(counts: ReadonlyMap<number, number>): LatencyClass[] {
  const classes: LatencyClass[] = [];
  for (let bucket = 0; bucket < LAST_BUCKET; bucket += 2) {
    classes.push({ upTo: boundOf(bucket), count: (counts.get(bucket - 1) ?? 0) + (counts.get(bucket) ?? 0) });
  }
  return [...classes, { upTo: null, count: counts.get(LAST_BUCKET) ?? 0 }];
}

function boundOf(bucket: number): number {
  return Math.floor(FIRST_BOUND * GROWTH ** bucket);
}
