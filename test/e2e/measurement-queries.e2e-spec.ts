// @databases mariadb: query plans
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { load } from 'js-yaml';
import { type Counter, register } from 'prom-client';
import { createUser, newcomer } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { type ChatApp } from '../support/chat-app';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { faultsOf, type Measurements, measurementsOf } from '../support/measurements';
import { useChatApp } from '../support/use-app';
import { WebhookClient } from '../support/webhook-client';
import { WebhookReceiver } from '../support/webhook-receiver';

interface Alerts {
  groups: { rules: { alert?: string; record?: string; expr: string; annotations?: Record<string, string> }[] }[];
}

interface Dashboard {
  panels: { title: string; targets?: { expr: string; legendFormat: string }[] }[];
  templating: { list: { name: string; query: string | { query: string } }[] };
}

const read = (file: string): string => readFileSync(resolve(__dirname, '../../ops', file), 'utf8');

/**
 * Metrics whose first value needs a failing guard, a collector of traces, or a sweep of retention, by their labels.
 */
const RARE: Measurements = new Map([
  ['guard_errors_total', new Set(['guard'])],
  ['otel_spans_dropped_total', new Set(['reason'])],
  ['otel_spans_exported_total', new Set()],
  ['retention_due', new Set(['kind'])],
  ['retention_last_success_seconds', new Set()],
]);

const recorded = (name?: string): [string, Set<string>][] => (name === undefined ? [] : [[name, new Set<string>()]]);

describe('the queries in ops/', () => {
  const app = useChatApp({ RATE_LIMIT_ANONYMOUS: '2' });
  let measurements: Measurements;

  beforeAll(async () => {
    await makeTraffic(app);
    // Figures with labels appear with their first value only.
    measurements = await eventually(async () => {
      const found = measurementsOf((await call<string>(`${app.origin}/metrics`)).text);
      const counted = [
        'mail_failures_total',
        'model_provider_withheld_total',
        'replies_failed_total',
        'webhook_attempts_total',
        'rate_limit_refused_total',
        'mcp_exchanges_total',
      ];
      return counted.every((name) => found.get(name)?.size) ? found : undefined;
    });
  });

  it('use existing metrics in the alert rules', () => {
    const { groups } = load(read('alerts.yml')) as Alerts;
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(10);
    const known = new Map([...measurements, ...RARE, ...rules.flatMap(({ record }) => recorded(record))]);
    for (const { alert, record, expr, annotations = {} } of rules) {
      const shown = [
        ...Object.values(annotations)
          .join(' ')
          .matchAll(/\$labels\.(\w+)/g),
      ].map(([, label = '']) => label);
      expect([alert ?? record, faultsOf(expr, known, shown)]).toEqual([alert ?? record, []]);
    }
  });

  it('use existing metrics in the dashboard', () => {
    const { panels, templating } = JSON.parse(read('grafana-dashboard.json')) as Dashboard;
    const targets = panels.flatMap(({ title, targets: own = [] }) => own.map((target) => ({ title, ...target })));
    expect(targets.length).toBeGreaterThan(20);
    const known = new Map([...measurements, ...RARE]);
    for (const { title, expr, legendFormat } of targets) {
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
      expect([title, faultsOf(expr, known, shown)]).toEqual([title, []]);
    }
    for (const { name, query } of templating.list.filter((variable) => typeof variable.query === 'object')) {
      const [, expr = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec((query as { query: string }).query) ?? [];
      expect([name, faultsOf(expr, measurements, [label])]).toEqual([name, []]);
    }
  });

  it('show each metric of the service in the dashboard', () => {
    const asked = read('grafana-dashboard.json');
    const ofNode = /^(process|nodejs)_|_(bucket|sum|count|created)$/;
    const hidden = [...measurements.keys()].filter((name) => !ofNode.test(name) && !asked.includes(name));
    expect(hidden).toEqual([]);
  });

  it('are checked by this test: unknown metrics, unknown labels, broken queries', () => {
    const faults = [
      'sum(replies_runing)',
      'sum by (agent) (replies_running)',
      'mail_failures_total{reason="x"}',
      'rate(mail_failures_total[5m]',
    ].map((query) => faultsOf(query, measurements));
    expect(faults.slice(0, 3)).toEqual([
      ['replies_runing'],
      ['replies_running{agent}'],
      ['mail_failures_total{reason}'],
    ]);
    expect(faults[3]).toEqual([expect.stringMatching(/^no PromQL/)]);
  });
});

/** Counts each metric with labels. */
async function makeTraffic(app: ChatApp): Promise<void> {
  const account = await createUser(app);
  const client = await app.newClient();
  await client.send((await client.createChat()).id, uniqueContent());
  const failing = uniqueContent();
  await app.model.script({ key: failing, status: 401, body: 'no' });
  await client.send((await client.createChat()).id, failing);
  // It would take a storm of refusals. A label that the counter does not have fails.
  (register.getSingleMetric('model_provider_withheld_total') as Counter).inc({ provider: 'default', kind: 'retry' });
  const receiver = await WebhookReceiver.start();
  const webhooks = new WebhookClient(app, account);
  const { id } = await webhooks.create(receiver.url());
  await webhooks.request('POST', `/${id}/test`);
  await receiver.waitFor(1);
  await receiver.stop();
  const admin = await AdminClient.of(app);
  // No server listens there.
  const server = { label: 'measured', url: 'http://127.0.0.1:9/mcp', auth: 'none' };
  const made = await admin.post<{ id: number }>('/admin/mcp_servers', server);
  await admin.post(`/admin/mcp_servers/${made.body.data.id}/test`);
  app.mails.reject();
  await call(`${app.url}/auth/send_code`, { body: { email: newcomer().email, purpose: 'register' } });
  for (let times = 0; times < 3; times++) {
    await call(`${app.url}/nowhere`);
  }
}
