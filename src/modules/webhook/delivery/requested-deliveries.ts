import { Injectable } from '@nestjs/common';
import { EntityManager, In, IsNull, LessThanOrEqual } from 'typeorm';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { insertRows } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import type { WebhookEventEntity } from '../outbox/webhook-event.entity';
import { NewDelivery, WebhookDeliveryEntity } from './webhook-delivery.entity';
import { newDelivery } from './webhook-fan-out';
import { WebhookWorker } from './webhook-worker';

/**
 * Deliveries requested by owners. They are sent even if the endpoint is switched off. Call all methods within
 * `Database.write`.
 */
@Injectable()
export class RequestedDeliveries {
  constructor(
    private readonly database: Database,
    private readonly worker: WebhookWorker,
    private readonly clock: SharedClock,
  ) {}

  /** Creates a delivery for each event. `makeDue` starts the sending. */
  async add(
    manager: EntityManager,
    endpointId: number,
    events: Pick<WebhookEventEntity, 'id' | 'type' | 'occurredAt'>[],
  ): Promise<(NewDelivery & { id: number })[]> {
    if (events.length === 0) {
      return [];
    }
    const now = this.clock.now();
    const deliveries = events.map((event) => ({ ...newDelivery(endpointId, event, now), isRequested: true }));
    const ids = await insertRows(manager, WebhookDeliveryEntity, deliveries);
    return deliveries.map((delivery, index) => ({ ...delivery, id: ids[index] as number }));
  }

  /**
   * Starts a new series of attempts for each delivery and returns their number. Deliveries with a running attempt are
   * skipped.
   *
   * @param isOnlyFailed skips deliveries that another request has already restarted
   */
  async putBack(manager: EntityManager, ids: number[], isOnlyFailed: boolean): Promise<number> {
    const now = this.clock.now();
    const again = {
      status: 'pending',
      retryStep: 0,
      nextAttemptAt: now,
      notBefore: null,
      isRequested: true,
      leaseOwner: null,
      completedAt: null,
    } as const;
    const which = { id: In(ids), ...(isOnlyFailed && { status: 'failed' as const }) };
    return updateRows(manager, WebhookDeliveryEntity, again, [
      { ...which, leaseOwner: IsNull() },
      { ...which, nextAttemptAt: LessThanOrEqual(now) },
    ]);
  }

  /**
   * Ends a pause of the endpoint, because its owner has requested the sending. Other deliveries still wait until they
   * are due.
   */
  async makeDue(manager: EntityManager, endpointId: number): Promise<void> {
    await updateRows(
      manager,
      WebhookEndpointEntity,
      { nextDueAt: this.clock.now(), heldUntil: null },
      { id: endpointId },
    );
    this.database.onCommit(() => this.worker.wake());
  }
}
