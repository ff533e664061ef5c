import { Counter, Gauge, register } from 'prom-client';
import { withTimeout } from '../time';

/** How long a reading may take: whoever asks gives up after ten seconds, and wants the other figures. */
const READING_MILLISECONDS = 3_000;

/** What a gauge shows: one number, or one for each value of its label. */
type Reading<Label extends string> = number | { labels: Record<Label, string>; value: number }[];

/** A counter for /metrics. It belongs to the process, in which tests start several applications. */
export function counter<Label extends string = never>(
  name: string,
  help: string,
  labelNames: Label[] = [],
): Counter<Label> {
  return (register.getSingleMetric(name) as Counter<Label> | undefined) ?? new Counter({ name, help, labelNames });
}

/**
 * A gauge for /metrics that is read when somebody asks, so that it costs requests nothing. What cannot be read, or not in
 * time, is NaN.
 * Of several applications in a process (tests) it shows the newest.
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
