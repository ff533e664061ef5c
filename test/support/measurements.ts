import { parser } from '@prometheus-io/lezer-promql';

/** Labels by the name of their metric. */
export type Measurements = Map<string, Set<string>>;

/** Labels that Prometheus adds to each metric that it scrapes. */
const ADDED_LABELS = ['job', 'instance'];

/** Metrics of Prometheus itself. */
const OWN_MEASUREMENTS = ['up'];

/**
 * Parses the Prometheus text format: each metric, including those without a value yet, with the labels of its values.
 */
export function measurementsOf(text: string): Measurements {
  const found: Measurements = new Map();
  const labelsOf = (name: string): Set<string> => {
    const labels = found.get(name) ?? new Set();
    found.set(name, labels);
    return labels;
  };
  for (const line of text.split('\n')) {
    const [, declared = '', type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (type === 'histogram') {
      labelsOf(`${declared}_bucket`).add('le');
      ['sum', 'count'].forEach((end) => labelsOf(`${declared}_${end}`));
    } else if (type !== undefined) {
      labelsOf(declared);
    }
    const [, name, labels = ''] = /^([a-z_]\w*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name !== undefined) {
      const known = labelsOf(name);
      [...labels.matchAll(/(\w+)="/g)].forEach(([, label = '']) => known.add(label));
    }
  }
  return found;
}

/**
 * The errors of a PromQL query: that it cannot be parsed, or that it uses unknown metrics and labels.
 *
 * @param shown labels of its result that are displayed
 */
export function faultsOf(query: string, measurements: Measurements, shown: string[] = []): string[] {
  // Grafana inserts a duration and the selected values there.
  const text = query.replaceAll('$__rate_interval', '5m');
  const faults: string[] = [];
  const names: string[] = [];
  const labels = new Set(shown);
  parser.parse(text).iterate({
    enter: ({ type, from, to, node }) => {
      const part = text.slice(from, to);
      if (type.isError) {
        faults.push(`no PromQL at ${from}`);
      } else if (type.name === 'Identifier' && node.parent?.name === 'VectorSelector') {
        names.push(part);
      } else if (type.name === 'LabelName') {
        labels.add(part);
      }
    },
  });
  if (names.length === 0) {
    faults.push('no measurement');
  }
  for (const name of names.filter((candidate) => !OWN_MEASUREMENTS.includes(candidate))) {
    const own = measurements.get(name);
    if (own === undefined) {
      faults.push(name);
    }
    const missing = [...labels].filter((label) => own && !own.has(label) && !ADDED_LABELS.includes(label));
    faults.push(...missing.map((label) => `${name}{${label}}`));
  }
  return faults;
}
