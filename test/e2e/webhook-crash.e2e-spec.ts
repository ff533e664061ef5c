// @databases mariadb: two instances share one database
import { Database } from '../../src/database/database';
import { WebhookDeliveryEntity } from '../../src/modules/webhook/delivery/webhook-delivery.entity';
import { WebhookEndpointEntity } from '../../src/modules/webhook/endpoint/webhook-endpoint.entity';
import { crashWebhooks } from '../crash/webhook-crash';
import { createUser } from '../support/accounts';
import { createMigratedDatabase } from '../support/servers/migrated-database';
import { databaseEngine } from '../support/servers/test-database';
import { startTestApp } from '../support/test-app';
import { WebhookClient } from '../support/webhook-client';
import { WebhookReceiver } from '../support/webhook-receiver';

describe('killing the service while it delivers', () => {
  // The long form, with a hundred kills, is test/crash/webhook.crash-spec.ts.
  it('loses no event of a committed change and sends no other', async () => {
    const database = await createMigratedDatabase();
    const report = await crashWebhooks(database.url, 2);
    expect(report).toMatchObject({ kills: 2, lost: [], invented: [], renamed: [] });
    expect(report.committed).toBeGreaterThan(0);
    await database.drop();
  });
});

if (databaseEngine() === 'sqlite') {
  it('the pending deliveries of a killed single process are sent by the next one immediately', async () => {
    const database = await createMigratedDatabase();
    const receiver = await WebhookReceiver.start();
    const settings = { DATABASE_URL: database.url };
    receiver.answer = (_delivery, response) => void response.writeHead(500).end();
    const died = await startTestApp(settings);
    const client = new WebhookClient(died, await createUser(died));
    const { id } = await client.create(receiver.url());
    await client.publish('chat.created', { n: 1 });
    await client.onlyDelivery(id, ({ attempt_count }) => attempt_count === 1);
    await died.app.get(Database).write(async (manager) => {
      const lapsesAt = new Date(Date.now() + 60_000);
      await manager.update(WebhookDeliveryEntity, { endpointId: id }, { leaseOwner: 'died', nextAttemptAt: lapsesAt });
      await manager.update(WebhookEndpointEntity, { id }, { nextDueAt: lapsesAt });
    });
    await died.close();
    const next = await startTestApp(settings);
    const began = performance.now();
    await receiver.waitFor(2);
    // Not when the lease expires.
    expect(performance.now() - began).toBeLessThan(20_000);
    await next.close();
    await receiver.stop();
    await database.drop();
  });
}
