// @databases mariadb: two instances share one database
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { Database } from '../../src/database/database';
import { SharedClock } from '../../src/database/shared-clock';
import { deleteRows } from '../../src/database/statements/delete';
import { insertRow } from '../../src/database/statements/insert';
import type { AttentionItemDto } from '../../src/modules/admin/attention/attention.dto';
import { InstanceHeartbeat } from '../../src/modules/generation/cluster/instance-heartbeat';
import { ReplyOwnerEntity } from '../../src/modules/generation/cluster/reply-owner.entity';
import type { HealthDto } from '../../src/modules/health/health.dto';
import type { VariableDto } from '../../src/modules/operation/configuration/configuration.dto';
import type { InstanceDto } from '../../src/modules/operation/instances/instance.dto';
import { AdminClient } from '../support/admin-client';
import { makeKey } from '../support/api-keys';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance, type TestApp } from '../support/test-app';
import { useAdmin, useOwnTestApp } from '../support/use-app';

const SECRET_URL = 'smtp://operator:pass-word@127.0.0.1:9';

describe('the view of the running service', () => {
  const app = useOwnTestApp({
    LLM_PROVIDER: 'openai-compatible',
    LLM_BASE_URL: 'http://127.0.0.1:9/v1',
    SMTP_URL: SECRET_URL,
    LLM_MODEL: 'm',
    LLM_API_KEY: 'sk-hidden',
  });
  const admin = useAdmin(app);
  const instances = async (client = admin) => (await client.get<InstanceDto[]>('/admin/instances')).body.data;
  const config = async () => {
    const { body } = await admin.get<VariableDto[]>('/admin/config');
    return new Map(body.data.map((variable) => [variable.name, variable]));
  };

  it('has this instance with its version, state, delays and load', async () => {
    const [own, ...others] = await instances();
    expect(others).toEqual([]);
    const number = expect.any(Number) as number;
    expect(own).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      hostname: expect.any(String),
      version: '1.0.0',
      commit: null,
      node: process.version,
      started_at: expect.any(String),
      seen_at: expect.any(String),
      state: 'serving',
      leases: [],
      lag: { database_ms: number, clock_ms: number, event_loop_ms: number },
      load: { replies: 0, requests_per_minute: number, cpu: number, rss_bytes: number, connections: number },
      config_hash: expect.stringMatching(/^[0-9a-f]{32}$/),
      log_level: 'silent',
      is_self: true,
    });
  });

  it('has the build in the health report and the metrics', async () => {
    const { body } = await call<HealthDto>(`${app.origin}/health`);
    expect(body).toMatchObject({ version: '1.0.0', commit: null, built_at: null });
    const { text } = await call<string>(`${app.origin}/metrics`);
    expect(text).toContain(`build_info{version="1.0.0",commit="",node="${process.version}"} 1`);
    expect(text).toContain('\ninstances_differ 0\n');
  });

  it('has every variable of .env.example, without secrets and without credentials in addresses', async () => {
    const shown = await config();
    const example = readFileSync(resolve(__dirname, '../../.env.example'), 'utf8');
    const documented = [...example.matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name);
    expect(documented.length).toBeGreaterThan(80);
    expect(documented.filter((name) => !shown.has(name!))).toEqual([]);
    expect(shown.get('SMTP_URL')).toEqual({
      name: 'SMTP_URL',
      value: 'smtp://***:***@127.0.0.1:9',
      source: 'environment',
      is_secret: false,
      is_set: true,
    });
    expect(shown.get('LLM_API_KEY')).toMatchObject({ value: null, is_secret: true, is_set: true });
    expect(shown.get('METRICS_TOKEN')).toMatchObject({ value: null, is_secret: true, is_set: false });
    expect(shown.get('TRASH_DAYS')).toMatchObject({ value: '30', source: 'default', is_set: false });
    expect(JSON.stringify([...shown])).not.toMatch(/pass-word|sk-hidden|kS8rTq1v/);
  });

  it('shows which setting of an administrator overrides a variable', async () => {
    expect((await config()).get('MAIL_FROM')).toMatchObject({
      value: 'Chat <chat@service.test>',
      source: 'environment',
    });
    await admin.put('/admin/settings', { mail_from: 'Other <other@service.test>' });
    expect((await config()).get('MAIL_FROM')).toMatchObject({ value: 'Other <other@service.test>', source: 'setting' });
  });

  it('lets API keys read the instances and nothing else', async () => {
    const { key } = await makeKey(app, admin.account.token, { scopes: ['admin:read', 'admin:write'] });
    expect((await call(`${app.url}/admin/instances`, { token: key })).status).toBe(200);
    for (const [method, path, body] of [
      ['GET', '/admin/config', undefined],
      ['PUT', '/admin/log_level', { level: 'debug' }],
      ['POST', '/admin/support_bundle', { reason: 'a ticket' }],
    ] as const) {
      expectFailure(await call(`${app.url}${path}`, { method, body, token: key }), 403, 'SCOPE_REQUIRED');
    }
  });

  it('records log levels and support bundles in the audit log', async () => {
    const level = await admin.put('/admin/log_level', { level: 'silent', minutes: 1 });
    const bundle = await admin.post('/admin/support_bundle', { reason: 'Ticket 7', hours: 2 });
    expect([level.status, bundle.status]).toEqual([200, 200]);
    expect(await admin.entriesOf(level)).toMatchObject([
      { action: 'log_level.set', after: { level: 'silent', minutes: 1 } },
    ]);
    expect(await admin.entriesOf(bundle)).toMatchObject([
      { action: 'support_bundle.create', after: { hours: 2 }, reason: 'Ticket 7' },
    ]);
  });

  it('refuses log levels and instances that do not exist, and changes nothing', async () => {
    for (const instance_id of ['5b0e8f4e-0000-4000-8000-000000000000', 'another']) {
      const answer = await admin.put('/admin/log_level', { level: 'debug', instance_id });
      expectFailure(answer, 404, 'INSTANCE_NOT_FOUND');
    }
    expectFailure(await admin.put('/admin/log_level', { level: 'loud' }), 422, 'VALIDATION_ERROR');
    expectFailure(await admin.put('/admin/log_level', { level: 'debug', minutes: 1_441 }), 422, 'VALIDATION_ERROR');
    expect((await instances())[0]?.log_level).toBe('silent');
  });

  if (databaseEngine() !== 'sqlite') {
    describe('with a second instance', () => {
      let second: Pick<TestApp, 'app' | 'url'>;

      beforeAll(async () => {
        second = await startInstance({ ...app.environment, PORT: '0', TRASH_DAYS: '31' });
      });

      const change = async (statement: string, values: unknown[]) => {
        const connection = await createConnection(app.environment.DATABASE_URL!.replace(/\?.*/, ''));
        await connection.query(statement, values);
        await connection.end();
      };

      it('has both, and different hashes of different settings', async () => {
        const serving = async () => (await instances()).filter(({ state }) => state === 'serving');
        await eventually(async () => (await serving()).length === 2);
        const both = await serving();
        expect(new Set(both.map(({ config_hash }) => config_hash)).size).toBe(2);
        const seen = await instances(new AdminClient(second, admin.account));
        expect(seen.find(({ is_self }) => is_self)?.id).toBe(both.find(({ is_self }) => !is_self)?.id);
        expect((await call<string>(`${app.origin}/metrics`)).text).toContain('\ninstances_differ 1\n');
      });

      it('reports different versions after ten minutes', async () => {
        const database = app.app.get(Database);
        const id = '5b0e8f4e-0000-4000-8000-000000000001';
        const inAnHour = new Date(Date.now() + 3_600_000);
        const earlier = {
          id,
          seenAt: inAnHour,
          report: { version: '0.9.0', state: 'serving', started_at: '2026-01-01T00:00:00.000Z' },
        };
        await database.write((manager) => insertRow(manager, ReplyOwnerEntity, earlier));
        const [own] = (await instances()).filter(({ is_self }) => is_self);
        const problemsAfter = async (milliseconds: number) => {
          const now = new Date(Date.parse(own!.started_at!) + milliseconds);
          const clock = jest.spyOn(app.app.get(SharedClock), 'now').mockReturnValue(now);
          const { body } = await admin.get<AttentionItemDto[]>('/admin/attention');
          clock.mockRestore();
          return body.data.filter(({ kind }) => kind === 'instances_differ');
        };
        expect(await problemsAfter(599_000)).toEqual([]);
        expect(await problemsAfter(601_000)).toEqual([
          { kind: 'instances_differ', since: expect.any(String), count: 2, target: null },
        ]);
        await database.write((manager) => deleteRows(manager, ReplyOwnerEntity, { id }));
      });

      it('ends a log level by itself', async () => {
        const level = async () => (await instances()).find(({ is_self }) => is_self)?.log_level;
        await admin.put('/admin/log_level', { level: 'fatal', minutes: 1 });
        expect(await level()).toBe('fatal');
        const later = new Date(Date.now() + 61_000);
        // Both instances are in this process, and share its log.
        const mocks = [app, second].map(({ app: each }) =>
          jest.spyOn(each.get(SharedClock), 'now').mockReturnValue(later),
        );
        await eventually(async () => (await level()) === 'silent', 20);
        mocks.forEach((mock) => mock.mockRestore());
      });

      it('is lost 15 seconds after its last heartbeat, and removed after a day', async () => {
        await second.app.close();
        const [own] = (await instances()).filter(({ is_self }) => is_self);
        await change('UPDATE chat_reply_owners SET seen_at = seen_at - INTERVAL 16 SECOND WHERE id <> ?', [own?.id]);
        const lost = (await instances()).filter(({ is_self }) => !is_self);
        expect(lost.map(({ state, leases }) => ({ state, leases }))).toEqual([{ state: 'lost', leases: [] }]);
        await change('UPDATE chat_reply_owners SET seen_at = seen_at - INTERVAL 1 DAY WHERE id <> ?', [own?.id]);
        const heartbeat = app.app.get(InstanceHeartbeat);
        // As if an hour had passed.
        Object.assign(heartbeat, { forgottenAt: -Infinity });
        heartbeat.wake();
        await eventually(async () => (await instances()).length === 1);
      });
    });
  }
});
