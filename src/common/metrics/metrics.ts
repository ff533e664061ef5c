import { Counter, Gauge, Histogram, register } from 'prom-client';
import { withTimeout } from '../time';

/** How long one reading may take. Prometheus times out after ten seconds, and it needs the other figures. */
const READING_MILLISECONDS = 3_000;

/** The value of a gauge: one number, or one for each value of its label. */
type Reading<Label extends string> = number | { labels: Record<Label, string>; value: number }[];

/**
 * A counter for /metrics. It belongs to the process, because tests start several applications in one process.
 *
 * @param fromStart labels that are shown as 0 before their first event: Prometheus sees no increase in a figure that
 * begins with 1
 */
export function counter<Label extends string = never>(
  name: string,
  help: string,
  labelNames: Label[] = [],
  fromStart: Record<Label, string>[] = [],
): Counter<Label> {
  const made =
    (register.getSingleMetric(name) as Counter<Label> | undefined) ?? new Counter({ name, help, labelNames });
  fromStart.forEach((labels) => made.inc(labels, 0));
  return made;
}

/** A histogram for /metrics, like `counter`. @param buckets their upper bounds, in the unit of the name */
export function histogram<Label extends string = never>(
  name: string,
  help: string,
  buckets: number[],
  labelNames: Label[] = [],
): Histogram<Label> {
  return (
    (register.getSingleMetric(name) as Histogram<Label> | undefined) ??
    new Histogram({ name, help, buckets, labelNames })
  );
}

/**
 * A gauge for /metrics. It is read only when /metrics is called, so that it does not slow down other requests. A value
 * that cannot be read in time is NaN. If a process has several applications (tests), it shows the newest one.
 */
export function gauge<Label extends string = never>(
  name: string,
  help: string,
  read: () => Reading<Label> | Promise<Reading<Label>>,
  labelNames: Label[] = [],
): void {
  register.removeSingleMetric(name);
  new Gauge<string>({
    name,
    help,
    labelNames,
    async collect() {
      const reading = await withTimeout(Promise.resolve().then(read), READING_MILLISECONDS, () => NaN).catch(() => NaN);
      this.reset();
      if (typeof reading === 'number') {
        this.set(reading);
      } else {
        reading.forEach(({ labels, value }) => this.set(labels, value));
      }
    },
  });
}
