import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager, In, LessThanOrEqual } from 'typeorm';
import type { BackgroundLoop } from '../../../common/background/background-loop';
import type { Tier } from '../../../common/security/principal';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRow, findRows } from '../../../database/statements/find';
import { lockRows } from '../../../database/statements/row-lock';
import { UserDirectoryQuery } from '../../user/user.api';
import { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import { WebhookEventEntity } from '../outbox/webhook-event.entity';
import { WebhookAttemptEntity, WebhookDeliveryEntity } from './webhook-delivery.entity';

/** Most deliveries that an endpoint keeps, with their events, by the tier of its owner. Null for no limit. */
export const MOST_DELIVERIES: Record<Tier, number | null> = { normal: 5_000, paid: 50_000, admin: null };

/** Most attempts that a delivery keeps: as many as the schedule has. */
export const MOST_ATTEMPTS = 10;

/** New deliveries of an endpoint after which its limit is checked. */
export const NOTED_DELIVERIES = 100;

/** Rows removed in one transaction. */
const BATCH = 200;

/** Pause after each transaction, so that requests are not delayed. */
const PAUSE_MILLISECONDS = 50;

type Removable = Pick<WebhookDeliveryEntity, 'id' | 'eventId'>;

/**
 * Limits what an endpoint keeps to its newest deliveries, with their newest attempts. Otherwise one account with a
 * failing server could fill the shared disk.
 */
@Injectable()
export class KeptDeliveries {
  private readonly logger = new Logger(KeptDeliveries.name);
  /** New deliveries of each endpoint since its last check by this process. */
  private readonly noted = new Map<number, number>();
  private readonly waiting = new Set<number>();
  private readonly loop: BackgroundLoop;

  constructor(
    private readonly database: Database,
    private readonly users: UserDirectoryQuery,
    background: BackgroundWork,
  ) {
    this.loop = background.add({
      step: () => this.trim(),
      onError: (error) => this.logger.warn({ error }, 'Deliveries beyond what an endpoint keeps could not be removed.'),
    });
  }

  /** Within `Database.write`: counts new deliveries. */
  note(deliveries: Pick<WebhookDeliveryEntity, 'endpointId'>[]): void {
    this.database.onCommit(() => {
      for (const { endpointId } of deliveries) {
        const count = (this.noted.get(endpointId) ?? 0) + 1;
        this.noted.set(endpointId, count);
        if (count >= NOTED_DELIVERIES) {
          this.noted.delete(endpointId);
          this.waiting.add(endpointId);
        }
      }
      if (this.waiting.size > 0) {
        this.loop.wake();
      }
    });
  }

  /** Within `Database.write`: removes the oldest attempts of deliveries that got another one. */
  async limitAttempts(manager: EntityManager, deliveryIds: number[]): Promise<void> {
    if (deliveryIds.length === 0) {
      return;
    }
    const attempts = await findRows(
      manager,
      WebhookAttemptEntity,
      { deliveryId: In(deliveryIds) },
      { members: ['id', 'deliveryId'], order: { id: 'DESC' } },
    );
    const counts = new Map<number, number>();
    const old = attempts.filter(({ deliveryId }) => {
      const count = (counts.get(deliveryId) ?? 0) + 1;
      counts.set(deliveryId, count);
      return count > MOST_ATTEMPTS;
    });
    await deleteRows(manager, WebhookAttemptEntity, { id: In(old.map(({ id }) => id)) });
  }

  /** Removes one batch of an endpoint. Returns the milliseconds until the next batch, or null if nothing is left. */
  private async trim(): Promise<number | null> {
    const [endpointId] = this.waiting;
    if (endpointId === undefined) {
      return null;
    }
    const deliveries = await this.beyondLimit(endpointId);
    if (deliveries.length > 0) {
      await this.database.write((manager) => removeDeliveries(manager, deliveries));
      return PAUSE_MILLISECONDS;
    }
    this.waiting.delete(endpointId);
    return 0;
  }

  /** A batch of the deliveries beyond the limit, oldest first. */
  private async beyondLimit(endpointId: number): Promise<Removable[]> {
    const endpoint = await findRow(
      this.database.manager,
      WebhookEndpointEntity,
      { id: endpointId },
      { members: ['id', 'userId'] },
    );
    const most = endpoint && MOST_DELIVERIES[await this.users.tierOf(endpoint.userId)];
    if (most === null) {
      return [];
    }
    const newest = await findRow(
      this.database.manager,
      WebhookDeliveryEntity,
      { endpointId },
      { members: ['id'], order: { id: 'DESC' }, offset: most },
    );
    return newest === null
      ? []
      : findRows(
          this.database.manager,
          WebhookDeliveryEntity,
          { endpointId, id: LessThanOrEqual(newest.id) },
          { members: ['id', 'eventId'], order: { id: 'ASC' }, limit: BATCH },
        );
  }
}

/**
 * Within `Database.write`, before any other read: removes deliveries with their attempts, and events that no other
 * endpoint has a delivery of.
 */
export async function removeDeliveries(manager: EntityManager, deliveries: Removable[]): Promise<void> {
  const eventIds = [...new Set(deliveries.map(({ eventId }) => eventId))];
  // A replay for another endpoint locks the same events. It either finds them deleted or has already created the
  // deliveries that the query below finds.
  await lockRows(manager, WebhookEventEntity, eventIds);
  await deleteRows(manager, WebhookDeliveryEntity, { id: In(deliveries.map(({ id }) => id)) });
  const shared = await findRows(
    manager,
    WebhookDeliveryEntity,
    { eventId: In(eventIds) },
    { members: ['id', 'eventId'] },
  );
  const kept = new Set(shared.map(({ eventId }) => eventId));
  await deleteRows(manager, WebhookEventEntity, { id: In(eventIds.filter((id) => !kept.has(id))) });
}
