import { type EntityManager, In } from 'typeorm';
import { isSqlite } from '../../../database/row-statements';
import { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';

/**
 * Holds endpoints for the rest of the transaction. Whoever adds deliveries, and whoever then reads when the first of
 * them falls due, takes this lock first: a single statement that has to wait for a row still reads other tables as they
 * were before it waited. SQLite has one writer at a time anyway.
 */
export async function lockEndpoints(ids: number[], manager: EntityManager): Promise<void> {
  if (ids.length === 0 || isSqlite(manager)) {
    return;
  }
  await manager
    .createQueryBuilder(WebhookEndpointEntity, 'endpoint')
    .select('endpoint.id')
    .where({ id: In(ids) })
    .orderBy('endpoint.id')
    .setLock('pessimistic_write')
    .getMany();
}
