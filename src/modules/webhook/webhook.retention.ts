import { Injectable, Logger } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { SharedClock } from '../../database/shared-clock';
import { deleteRows } from '../../database/statements/delete';
import { findRow, findRows } from '../../database/statements/find';
import { updateRows } from '../../database/statements/update';
import { RetentionDirectory } from '../retention/retention.api';
import { isErasedSql } from '../user/user.api';
import { removeDeliveries } from './delivery/kept-deliveries';
import { WebhookDeliveryEntity } from './delivery/webhook-delivery.entity';
import { WebhookEndpointEntity } from './endpoint/webhook-endpoint.entity';
import { WebhookEventEntity } from './outbox/webhook-event.entity';

/** How long events, deliveries and their log are kept. */
const RETENTION_MILLISECONDS = 30 * DAY_MILLISECONDS;

/** Rows removed in one transaction. */
const BATCH = 200;

/** Pause after each transaction, so that requests are not delayed. */
const PAUSE_MILLISECONDS = 50;

const PENDING_DELIVERY =
  'SELECT 1 FROM webhook_deliveries WHERE endpoint_id = webhook_endpoints.id AND next_attempt_at IS NOT NULL';
const WAITING_EVENT =
  'SELECT 1 FROM webhook_events WHERE user_id = webhook_endpoints.user_id AND dispatched_at IS NULL';

/**
 * Removes expired events, endpoints of erased accounts after their last delivery, and, in small steps, the data of
 * deleted endpoints.
 */
@Injectable()
export class WebhookRetention {
  private readonly logger = new Logger(WebhookRetention.name);

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly retention: RetentionDirectory,
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.purge(),
      onError: (error) => this.logger.warn({ error }, 'Old webhook events could not be removed.'),
      idleMilliseconds: HOUR_MILLISECONDS,
    });
  }

  /** Removes one batch. Returns the milliseconds until the next batch, or null if nothing is left. */
  async purge(): Promise<number | null> {
    const removed =
      (await this.removeOldEvents()) + (await this.endEndpointOfErased()) + (await this.removeDeletedEndpoint());
    return removed > 0 ? PAUSE_MILLISECONDS : null;
  }

  /** Without a retention policy. The database removes their deliveries and attempts by cascade. */
  private async removeOldEvents(): Promise<number> {
    if (this.retention.rules('events') !== null) {
      return 0;
    }
    const oldest = await findRows(
      this.database.manager,
      WebhookEventEntity,
      {},
      { members: ['id', 'occurredAt'], order: { id: 'ASC' }, limit: BATCH },
    );
    const limit = new Date(this.clock.now().getTime() - RETENTION_MILLISECONDS);
    const ids = oldest.filter(({ occurredAt }) => occurredAt < limit).map(({ id }) => id);
    if (ids.length > 0) {
      await this.database.write((manager) => deleteRows(manager, WebhookEventEntity, { id: In(ids) }));
    }
    return ids.length;
  }

  /** The erasure keeps an endpoint only until the last event about the account is delivered. */
  private async endEndpointOfErased(): Promise<number> {
    const isDelivered = `NOT EXISTS (${PENDING_DELIVERY}) AND NOT EXISTS (${WAITING_EVENT})`;
    const condition = `${isErasedSql('webhook_endpoints.user_id')} AND ${isDelivered}`;
    const ofErased = { condition, parameters: [] };
    const endpoint = await findRow(this.database.manager, WebhookEndpointEntity, ofErased, { members: ['id'] });
    if (endpoint === null) {
      return 0;
    }
    await this.database.write((manager) =>
      updateRows(
        manager,
        WebhookEndpointEntity,
        { isActive: false, slot: null, nextDueAt: null, deletedAt: this.clock.now() },
        { id: endpoint.id },
      ),
    );
    return 1;
  }

  private async removeDeletedEndpoint(): Promise<number> {
    const endpoint = await findRow(
      this.database.manager,
      WebhookEndpointEntity,
      { deletedAt: Not(IsNull()) },
      { members: ['id'], order: { id: 'ASC' }, withDeleted: true },
    );
    return endpoint ? this.removePart(endpoint.id) : 0;
  }

  private async removePart(endpointId: number): Promise<number> {
    const deliveries = await findRows(
      this.database.manager,
      WebhookDeliveryEntity,
      { endpointId },
      { members: ['id', 'eventId'], order: { id: 'ASC' }, limit: BATCH },
    );
    if (deliveries.length === 0) {
      await this.database.write((manager) => deleteRows(manager, WebhookEndpointEntity, { id: endpointId }));
      return 1;
    }
    await this.database.write((manager) => removeDeliveries(manager, deliveries));
    return deliveries.length;
  }
}
