import { Injectable } from '@nestjs/common';
import { Brackets, EntityManager, In } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import type { WebhookEventEntity } from '../outbox/webhook-event.entity';
import { requestedDelivery } from './new-delivery';
import { WebhookDeliveryEntity } from './webhook-delivery.entity';
import { WebhookWorker } from './webhook-worker';

type NewDelivery = Omit<WebhookDeliveryEntity, 'id'>;

/** Deliveries that owners ask for, whether their endpoint is switched on or not. All methods run within `Database.write`. */
@Injectable()
export class RequestedDeliveries {
  constructor(
    private readonly database: Database,
    private readonly worker: WebhookWorker,
    private readonly clock: Clock,
  ) {}

  /** Makes a delivery of each event; `makeDue` has them sent. */
  async add(
    endpointId: number,
    events: Pick<WebhookEventEntity, 'id' | 'type' | 'occurredAt'>[],
    manager: EntityManager,
  ): Promise<(NewDelivery & { id: number })[]> {
    if (events.length === 0) {
      return [];
    }
    const now = this.clock.now();
    const deliveries = events.map((event) => requestedDelivery(endpointId, event, now));
    const { identifiers } = await manager.insert(WebhookDeliveryEntity, deliveries);
    return deliveries.map((delivery, index) => ({ ...delivery, id: Number(identifiers[index]?.id) }));
  }

  /**
   * Starts a new round of attempts and answers of how many; an attempt under way is left alone.
   *
   * @param onlyFailed leaves alone what somebody else has put back meanwhile
   */
  async putBack(ids: number[], onlyFailed: boolean, manager: EntityManager): Promise<number> {
    const now = this.clock.now();
    const { affected } = await manager
      .createQueryBuilder()
      .update(WebhookDeliveryEntity)
      .set({
        status: 'pending',
        retryStep: 0,
        nextAttemptAt: now,
        notBefore: null,
        isRequested: true,
        leaseOwner: null,
        completedAt: null,
      })
      .where({ id: In(ids), ...(onlyFailed && { status: 'failed' }) })
      .andWhere(new Brackets((lease) => lease.where('lease_owner IS NULL').orWhere('next_attempt_at <= :now', { now })))
      .execute();
    return affected ?? 0;
  }

  /** The owner knows best that now is the time to call the endpoint; other deliveries wait for theirs all the same. */
  async makeDue(endpointId: number, manager: EntityManager): Promise<void> {
    await manager.update(WebhookEndpointEntity, { id: endpointId }, { nextDueAt: this.clock.now(), heldUntil: null });
    this.database.onCommit(() => this.worker.wake());
  }
}
