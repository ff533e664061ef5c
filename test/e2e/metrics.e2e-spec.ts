// @databases mariadb: the pool of connections
import { MetricsConfig } from '../../src/modules/health/metrics.config';
import { createUser } from '../support/accounts';
import { type ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { databaseEngine } from '../support/servers/test-database';
import { useOwnChatApp } from '../support/use-app';
import { WebhookClient } from '../support/webhook-client';
import { WebhookReceiver } from '../support/webhook-receiver';

describe('the metrics', () => {
  const app = useOwnChatApp();
  let client: ChatClient;

  beforeAll(async () => {
    client = await app.newClient();
  });

  /** The value of a line such as `replies_running` or `mail_failures_total{consequence="dropped"}`. */
  async function measured(line: string): Promise<number | undefined> {
    const { text } = await call<string>(`${app.origin}/metrics`);
    const found = text.split('\n').find((candidate) => candidate.startsWith(`${line} `));
    return found === undefined ? undefined : Number(found.slice(line.length + 1));
  }

  it('show at rest that nothing waits and everything is up', async () => {
    for (const name of ['database_up', 'mail_server_up']) {
      await eventually(async () => (await measured(name)) === 1);
    }
    const idle = ['replies_running', 'mail_queue_size', 'webhook_outbox_events', 'webhook_overdue_seconds'];
    for (const name of [...idle, 'database_writes_waiting', 'database_connections_waiting']) {
      await eventually(async () => (await measured(name)) === 0);
    }
    expect(await measured('model_provider_circuit_open{provider="default"}')).toBe(0);
  });

  it('require the token that is configured', async () => {
    const config = app.app.get(MetricsConfig);
    config.METRICS_TOKEN = 'token-of-prometheus';
    try {
      const read = (authorization?: string) =>
        call(`${app.origin}/metrics`, { headers: authorization === undefined ? {} : { authorization } });
      expectFailure(await read(), 401, 'UNAUTHORIZED');
      for (const wrong of ['', 'Bearer', 'Bearer token-of-prometheuS', 'Bearer token-of-prometheus2']) {
        expectFailure(await read(wrong), 401, 'TOKEN_INVALID');
      }
      expect((await read('Bearer token-of-prometheus')).status).toBe(200);
    } finally {
      config.METRICS_TOKEN = null;
    }
  });

  // One alert compares both outcomes, and another one waits for the first lost mail.
  it('show from the start the values that alerts compare, even at zero', async () => {
    for (const name of [
      'mail_failures_total{consequence="dropped"}',
      'webhook_attempts_total{outcome="succeeded"}',
      'webhook_attempts_total{outcome="failed"}',
    ]) {
      expect([name, await measured(name)]).toEqual([name, 0]);
    }
  });

  it('count running replies, and failures of the model provider', async () => {
    const [held, failing] = [uniqueContent(), uniqueContent()];
    await app.model.script({ key: held, steps: [{ text: 'Hello' }, { hold: held }] });
    const stream = await client.stream((await client.createChat()).id, held);
    await eventually(async () => (await measured('replies_running')) === 1);
    await app.model.release(held);
    await stream.plain();
    await eventually(async () => (await measured('replies_running')) === 0);
    await app.model.script({ key: failing, status: 401, body: 'no' });
    await client.send((await client.createChat()).id, failing);
    const name = 'model_provider_failures_total{provider="default",code="PROVIDER_ERROR"}';
    expect(await measured(name)).toBe(1);
    const replies = 'replies_failed_total{provider="default",model="scripted",reason="provider_error"}';
    expect(await measured(replies)).toBe(1);
  });

  it('count replies by their outcome, and measure their first tokens and their duration', async () => {
    const names = [
      'replies_ended_total{outcome="completed"}',
      'replies_ended_total{outcome="stopped"}',
      'replies_ended_total{outcome="failed"}',
      'reply_first_token_seconds_count',
      'reply_duration_seconds_count{outcome="completed"}',
    ];
    const all = () => Promise.all(names.map(async (name) => (await measured(name)) ?? 0));
    const before = await all();
    const [stopped, failing] = [uniqueContent(), uniqueContent()];
    await client.send((await client.createChat()).id, uniqueContent());
    await app.model.script({ key: stopped, steps: [{ text: 'Hello' }, { stall: true }] });
    const chat = await client.createChat();
    const stream = await client.stream(chat.id, stopped);
    await stream.until('Hello');
    await client.stop(chat.id);
    await stream.plain();
    await app.model.script({ key: failing, status: 401, body: 'no' });
    await client.send((await client.createChat()).id, failing);
    const after = await all();
    expect(after.map((count, index) => count - before[index]!)).toEqual([1, 1, 1, 2, 1]);
  });

  it('show the free capacity of the database, and that there is neither a backup nor Redis', async () => {
    expect(await measured('migrations_pending')).toBe(0);
    expect(await measured('backup_age_seconds')).toBeNaN();
    expect(await measured('redis_up')).toBeNaN();
    const isSqlite = databaseEngine() === 'sqlite';
    const room = await measured('disk_free_bytes');
    expect(isSqlite ? room! > 0 : Number.isNaN(room)).toBe(true);
    const waited = (await measured('database_connection_wait_seconds_count')) ?? 0;
    // The figure belongs to the process, which may have used another engine before.
    if (!isSqlite) expect(waited).toBeGreaterThan(0);
    expect(await measured('database_transactions_given_up_total')).toBe(0);
    expect(await measured('database_transactions_repeated_total')).toBeGreaterThanOrEqual(0);
  });

  it('count webhook delivery attempts by their outcome', async () => {
    const receiver = await WebhookReceiver.start();
    receiver.answer = (_delivery, response) => void response.writeHead(500).end();
    try {
      const webhooks = new WebhookClient(app, await createUser(app));
      const { id } = await webhooks.create(receiver.url());
      await webhooks.request('POST', `/${id}/test`);
      await webhooks.onlyDelivery(id, ({ attempt_count }) => attempt_count === 1);
      // Other instances in this process also count there when they retry.
      expect(await measured('webhook_attempts_total{outcome="failed"}')).toBeGreaterThanOrEqual(1);
    } finally {
      await receiver.stop();
    }
  });
});
