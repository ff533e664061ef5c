import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { dump } from 'js-yaml';
import { findProgram } from '../support/servers/installed';

const RULES = resolve(__dirname, '../../ops/alerts.yml');

/** Series by their selector, in promtool's notation: `0+6x60` has 60 steps of 6 after 0. */
type Series = Record<string, string>;

interface Trial {
  alert: string;
  /** When it is evaluated. */
  at: string;
  /** Between two values. */
  interval?: string;
  labels: Record<string, string>;
  fires: Series;
  isQuiet: Series;
}

/** Requests of which a share fails: `bad` of 10,000 in each interval. */
const requests = (bad: number, steps: number): Series => ({
  'http_request_duration_seconds_count{status="200",route="/api/v1/chat"}': `0+${10_000 - bad}x${steps}`,
  'http_request_duration_seconds_count{status="500",route="/api/v1/chat"}': `0+${bad}x${steps}`,
});

const replies = (bad: number, steps: number): Series => ({
  'replies_ended_total{outcome="completed"}': `0+${10_000 - bad}x${steps}`,
  'replies_ended_total{outcome="failed"}': `0+${bad}x${steps}`,
});

const firstWords = (late: number, steps: number): Series => ({
  'reply_first_token_seconds_bucket{le="8"}': `0+${10_000 - late}x${steps}`,
  'reply_first_token_seconds_bucket{le="+Inf"}': `0+10000x${steps}`,
});

const BURNS = [
  { name: 'RequestsFail', make: requests, budget: 10 },
  { name: 'RepliesEndBadly', make: replies, budget: 100 },
  { name: 'RepliesBeginLate', make: firstWords, budget: 500 },
];

const SPEEDS = [
  { speed: 'Fast', factor: 14.4, at: '70m', interval: '1m', steps: 70, severity: 'critical' },
  { speed: 'Slow', factor: 6, at: '7h', interval: '5m', steps: 84, severity: 'warning' },
  { speed: 'Steadily', factor: 1, at: '80h', interval: '1h', steps: 80, severity: 'ticket' },
];

/** An alert fires above its limit, not at it. A factor that is not a whole number is between two. */
const burns: Trial[] = BURNS.flatMap(({ name, make, budget }) =>
  SPEEDS.map(({ speed, factor, at, interval, steps, severity }) => ({
    alert: `${name}${speed}`,
    at,
    interval,
    labels: { severity },
    fires: make(Math.floor(budget * factor) + 1, steps),
    isQuiet: make(Math.floor(budget * factor) - 1, steps),
  })),
);

const others: Trial[] = [
  {
    alert: 'InstancesDiffer',
    at: '11m',
    labels: { severity: 'warning' },
    fires: { 'instances_differ{instance="a"}': '1x20', 'instances_differ{instance="b"}': '0x20' },
    isQuiet: { 'instances_differ{instance="a"}': '_x2 1x20' },
  },
  {
    alert: 'RetentionBehind',
    at: '50h',
    interval: '1h',
    labels: { severity: 'warning' },
    fires: { 'retention_due{kind="chats"}': '3x60', retention_last_success_seconds: '3500x60' },
    isQuiet: { 'retention_due{kind="chats"}': '3x60', retention_last_success_seconds: '7200x60' },
  },
  {
    alert: 'GuardFailing',
    at: '12m',
    labels: { severity: 'critical', guard: 'presidio' },
    fires: { 'guard_errors_total{guard="presidio"}': '0+1.3x20' },
    isQuiet: { 'guard_errors_total{guard="presidio"}': '0+1x20' },
  },
  {
    alert: 'SpansDropped',
    at: '16m',
    labels: { severity: 'warning', reason: 'queue_full' },
    fires: { 'otel_spans_dropped_total{reason="queue_full"}': '0x8 1x12' },
    isQuiet: { 'otel_spans_dropped_total{reason="queue_full"}': '5x20' },
  },
];

describe('the alerts in ops/', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'alerts-'));
  });

  afterAll(() => rm(folder, { recursive: true }));

  // promtool evaluates all rules in each interval, so trials of days need a longer one.
  it.each(['1m', '5m', '1h'])('fire beyond their limits, and are quiet next to them, every %s', async (interval) => {
    const promtool = findProgram('promtool');
    if (promtool === undefined) {
      throw new Error('promtool is not installed. Run apt-get install prometheus.');
    }
    const file = join(folder, `alerts-${interval}.yml`);
    const tests = [...burns, ...others].filter((trial) => (trial.interval ?? '1m') === interval).flatMap(testsOf);
    expect(tests.length).toBeGreaterThan(0);
    await writeFile(file, dump({ rule_files: [RULES], evaluation_interval: interval, tests }));
    const { stdout } = await promisify(execFile)(promtool, ['test', 'rules', file]);
    expect(stdout).toContain('SUCCESS');
  });
});

function testsOf({ alert, at, interval = '1m', labels, fires, isQuiet }: Trial): object[] {
  const expr = `ALERTS{alertname="${alert}",alertstate="firing"}`;
  const shown = { alertname: alert, alertstate: 'firing', ...labels };
  const text = Object.entries(shown).map(([name, value]) => `${name}="${value}"`);
  const firing = [{ labels: `ALERTS{${text.join()}}`, value: 1 }];
  return [fires, isQuiet].map((series) => ({
    interval,
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [{ expr, eval_time: at, exp_samples: series === fires ? firing : [] }],
  }));
}
