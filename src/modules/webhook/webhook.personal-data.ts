import { Injectable } from '@nestjs/common';
import { EntityManager, In, Not } from 'typeorm';
import { EventKinds } from '../../common/events/event-kinds';
import { Database } from '../../database/database';
import { deleteRows } from '../../database/statements/delete';
import { findRows, rowExists } from '../../database/statements/find';
import { keysetBatches } from '../../database/statements/keyset-batches';
import { allOf, idIn } from '../../database/statements/row-condition';
import { updateRows } from '../../database/statements/update';
import { PersonalDataRegistry } from '../user/user.api';
import { WebhookDeliveryEntity } from './delivery/webhook-delivery.entity';
import { WebhookEndpointEntity } from './endpoint/webhook-endpoint.entity';
import { toWebhookDto } from './management/webhook.dto';
import { EventBodies, withoutPerson } from './outbox/event-content';
import { WebhookEventEntity } from './outbox/webhook-event.entity';

/** The event that is still delivered for an erased account. */
const LAST_EVENT = 'user.deleted';

const IS_PENDING =
  "status = 'pending' AND EXISTS (SELECT 1 FROM webhook_endpoints " +
  'WHERE webhook_endpoints.id = webhook_deliveries.endpoint_id AND webhook_endpoints.deleted_at IS NULL)';

/**
 * The personal data of this module: endpoints, and events of the last 30 days. Erasing the account removes all of it,
 * including pending deliveries. Only the event that the account was closed is still delivered, without the name. The
 * endpoints stay until then (`WebhookRetention`).
 */
@Injectable()
export class WebhookPersonalData {
  constructor(
    private readonly database: Database,
    private readonly bodies: EventBodies,
    private readonly kinds: EventKinds,
    registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'webhooks',
      entities: [WebhookEndpointEntity],
      rows: (userId) => registry.read(WebhookEndpointEntity, userId, toWebhookDto),
      erase: (userId) => this.eraseEndpoints(userId),
    });
    registry.register({
      name: 'webhook_events',
      entities: [WebhookEventEntity],
      rows: (userId) => this.events(userId),
      erase: (userId) => this.eraseEvents(userId),
    });
  }

  private async *events(userId: number): AsyncGenerator<object> {
    for await (const events of this.batchesOf(userId)) {
      for (const event of events) {
        yield this.bodies.make(event, { userId, includeContent: true });
      }
    }
  }

  /** Keeps an endpoint only to deliver the last event, without the texts that the user wrote. */
  private async eraseEndpoints(userId: number): Promise<void> {
    const endpoints = await findRows(
      this.database.manager,
      WebhookEndpointEntity,
      { userId },
      { members: ['id', 'isActive', 'deletedAt'], withDeleted: true },
    );
    const last = await this.lastEvents(userId);
    for (const { id, isActive, deletedAt } of endpoints) {
      const isNeeded = isActive && deletedAt === null && (await this.isStillDelivered(id, last));
      await this.dropDeliveries(id, isNeeded ? last.map((event) => event.id) : []);
      await this.database.write(async (manager) => {
        await (isNeeded
          ? updateRows(manager, WebhookEndpointEntity, { description: '' }, { id })
          : deleteRows(manager, WebhookEndpointEntity, { id }));
      });
    }
  }

  private lastEvents(userId: number): Promise<WebhookEventEntity[]> {
    return findRows(this.database.manager, WebhookEventEntity, { userId, type: LAST_EVENT });
  }

  /** Whether one of the events waits for this endpoint, or for the worker, which then determines its recipients. */
  private async isStillDelivered(endpointId: number, events: readonly WebhookEventEntity[]): Promise<boolean> {
    const eventId = In(events.map(({ id }) => id));
    return (
      events.some(({ dispatchedAt }) => dispatchedAt === null) ||
      (await rowExists(this.database.manager, WebhookDeliveryEntity, { endpointId, eventId, status: 'pending' }))
    );
  }

  private async dropDeliveries(endpointId: number, keptEventIds: readonly number[]): Promise<void> {
    const others = { endpointId, eventId: Not(In(keptEventIds)) };
    const { manager } = this.database;
    for await (const deliveries of keysetBatches(manager, WebhookDeliveryEntity, others, { members: ['id'] })) {
      const ids = deliveries.map(({ id }) => id);
      await this.database.write((manager) => deleteRows(manager, WebhookDeliveryEntity, { id: In(ids) }));
    }
  }

  /** Deliveries and their log are removed with the events. The last event no longer contains the user's name. */
  private async eraseEvents(userId: number): Promise<void> {
    for await (const events of this.batchesOf(userId)) {
      await this.database.write((manager) => this.eraseBatch(manager, events));
    }
  }

  private async eraseBatch(manager: EntityManager, events: WebhookEventEntity[]): Promise<void> {
    const last = events.filter(({ type }) => type === LAST_EVENT);
    const pending = await findRows(
      manager,
      WebhookDeliveryEntity,
      allOf(
        idIn(
          last.map(({ id }) => id),
          'event_id',
        ),
        { condition: IS_PENDING, parameters: [] },
      ),
      { members: ['eventId'] },
    );
    const pendingIds = new Set(pending.map(({ eventId }) => eventId));
    const unsent = last.filter(({ id, dispatchedAt }) => dispatchedAt === null || pendingIds.has(id));
    for (const { id, type, data } of unsent) {
      await updateRows(
        manager,
        WebhookEventEntity,
        { data: withoutPerson(this.kinds.find(type), data), content: null },
        { id },
      );
    }
    const kept = new Set(unsent.map(({ id }) => id));
    await deleteRows(manager, WebhookEventEntity, {
      id: In(events.map(({ id }) => id).filter((id) => !kept.has(id))),
    });
  }

  private batchesOf(userId: number): AsyncGenerator<WebhookEventEntity[]> {
    return keysetBatches(this.database.manager, WebhookEventEntity, { userId });
  }
}
