import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { IsNull } from 'typeorm';
import { Clock } from '../../src/common/clock';
import { DomainEvents } from '../../src/common/events/domain-events';
import { Database } from '../../src/database/database';
import { WebhookDeliveryEntity } from '../../src/modules/webhook/delivery/webhook-delivery.entity';
import { WebhookEndpointEntity } from '../../src/modules/webhook/endpoint/webhook-endpoint.entity';
import { WebhookEventEntity } from '../../src/modules/webhook/outbox/webhook-event.entity';
import { createSubscriber, startWebhookService } from './webhook-service';

/** The parent's instructions for a child; the last argument of the command line, as JSON. */
export interface ChildTask {
  databaseUrl: string;
  receiverUrl: string;
  /** Number of the first change, so that no two children use the same numbers. */
  firstChange: number;
  /** `change`: make changes until killed. `drain`: deliver the rest, then report which changes were committed. */
  mode: 'change' | 'drain';
}

/** Concurrent changes. */
const WRITERS = 8;

/** Longer than a lease: a draining child sees the leases of its killed predecessors expire. */
const LEASE_MILLISECONDS = 70_000;

async function run({ databaseUrl, receiverUrl, firstChange, mode }: ChildTask): Promise<void> {
  const context = await startWebhookService(databaseUrl);
  const database = context.get(Database);
  if (!(await database.repository(WebhookEndpointEntity).exists())) {
    await database.write((manager) => manager.query('CREATE TABLE crash_changes (n INTEGER NOT NULL)'));
    await createSubscriber(context, 'subscriber', receiverUrl);
  }
  const { userId } = await database.repository(WebhookEndpointEntity).findOneByOrFail({});
  if (mode === 'drain') {
    context.get(Clock).now = () => new Date(Date.now() + LEASE_MILLISECONDS);
    const waits = async (): Promise<boolean> =>
      (await database.repository(WebhookEventEntity).existsBy({ dispatchedAt: IsNull() })) ||
      (await database.repository(WebhookDeliveryEntity).existsBy({ status: 'pending' }));
    while (await waits()) {
      await delay(50);
    }
    const committed = await database.manager.query<{ n: number }[]>('SELECT n FROM crash_changes');
    process.send?.({ committed: committed.map(({ n }) => Number(n)) });
    await context.close();
    process.disconnect();
    return;
  }
  process.send?.('ready');
  let next = firstChange;
  const change = async (): Promise<void> => {
    const n = next++;
    await database.write(async (manager) => {
      await manager.query(`INSERT INTO crash_changes (n) VALUES (${n})`);
      await context.get(DomainEvents).publish(manager, { type: 'chat.created', userId, data: { n } });
      if (n % 5 === 0) {
        throw new Error('a change that fails after its event');
      }
    });
  };
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      for (;;) {
        await change().catch(() => undefined);
        // More changes than can be delivered would prove nothing more.
        await delay(15);
      }
    }),
  );
}

void run(JSON.parse(process.argv[2] ?? '') as ChildTask);
