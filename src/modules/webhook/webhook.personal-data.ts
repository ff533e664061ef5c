import { Injectable } from '@nestjs/common';
import { EntityManager, In, Not } from 'typeorm';
import { EventKinds } from '../../common/events/event-kinds';
import { Database } from '../../database/database';
import { keysetBatches } from '../../database/statements/keyset-batches';
import { PersonalDataRegistry } from '../user/user.api';
import { WebhookDeliveryEntity } from './delivery/webhook-delivery.entity';
import { WebhookEndpointEntity } from './endpoint/webhook-endpoint.entity';
import { toWebhookDto } from './management/webhook.dto';
import { EventBodies, withoutPerson } from './outbox/event-content';
import { WebhookEventEntity } from './outbox/webhook-event.entity';

/** The event that is still told of an erased account. */
const LAST_EVENT = 'user.deleted';

/**
 * What this module keeps of a user: the endpoints, and events until they are 30 days old. With the erasure of the account
 * all of it goes, also what still waits to be delivered. Only the news that the account was closed is still told, without the
 * name, and its endpoints stay until then (`WebhookRetention`).
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

  /** An endpoint stays only to be told of the end, without what the user wrote about it. */
  private async eraseEndpoints(userId: number): Promise<void> {
    const endpoints = await this.database
      .repository(WebhookEndpointEntity)
      .find({ select: { id: true, isActive: true, deletedAt: true }, where: { userId }, withDeleted: true });
    const last = await this.lastEvents(userId);
    for (const { id, isActive, deletedAt } of endpoints) {
      const isNeeded = isActive && deletedAt === null && (await this.isStillTold(id, last));
      await this.dropDeliveries(id, isNeeded ? last.map((event) => event.id) : []);
      await this.database.write(async (manager) => {
        await (isNeeded
          ? manager.update(WebhookEndpointEntity, { id }, { description: '' })
          : manager.delete(WebhookEndpointEntity, { id }));
      });
    }
  }

  private lastEvents(userId: number): Promise<WebhookEventEntity[]> {
    return this.database.repository(WebhookEventEntity).findBy({ userId, type: LAST_EVENT });
  }

  /** Whether one of the events waits for this endpoint, or for the worker, which then finds out who gets it. */
  private async isStillTold(endpointId: number, events: readonly WebhookEventEntity[]): Promise<boolean> {
    const eventId = In(events.map(({ id }) => id));
    return (
      events.some(({ dispatchedAt }) => dispatchedAt === null) ||
      (await this.database.repository(WebhookDeliveryEntity).existsBy({ endpointId, eventId, status: 'pending' }))
    );
  }

  private async dropDeliveries(endpointId: number, keptEventIds: readonly number[]): Promise<void> {
    const others = this.database
      .repository(WebhookDeliveryEntity)
      .createQueryBuilder('delivery')
      .select('delivery.id')
      .where({ endpointId, eventId: Not(In(keptEventIds)) });
    for await (const deliveries of keysetBatches(others)) {
      const ids = deliveries.map(({ id }) => id);
      await this.database.write((manager) => manager.delete(WebhookDeliveryEntity, { id: In(ids) }));
    }
  }

  /** Deliveries and their log go with the events. The last event no longer says whose it is. */
  private async eraseEvents(userId: number): Promise<void> {
    for await (const events of this.batchesOf(userId)) {
      await this.database.write((manager) => this.eraseBatch(manager, events));
    }
  }

  private async eraseBatch(manager: EntityManager, events: WebhookEventEntity[]): Promise<void> {
    const last = events.filter(({ type }) => type === LAST_EVENT);
    const pending = await manager
      .createQueryBuilder(WebhookDeliveryEntity, 'delivery')
      .select('delivery.eventId', 'eventId')
      .innerJoin(WebhookEndpointEntity, 'endpoint', 'endpoint.id = delivery.endpointId AND endpoint.deletedAt IS NULL')
      .where({ eventId: In(last.map(({ id }) => id)), status: 'pending' })
      .getRawMany<{ eventId: number }>();
    const pendingIds = new Set(pending.map(({ eventId }) => eventId));
    const told = last.filter(({ id, dispatchedAt }) => dispatchedAt === null || pendingIds.has(id));
    for (const { id, type, data } of told) {
      await manager.update(
        WebhookEventEntity,
        { id },
        { data: withoutPerson(this.kinds.find(type), data) as never, content: null },
      );
    }
    const kept = new Set(told.map(({ id }) => id));
    await manager.delete(WebhookEventEntity, {
      id: In(events.map(({ id }) => id).filter((id) => !kept.has(id))),
    });
  }

  private batchesOf(userId: number): AsyncGenerator<WebhookEventEntity[]> {
    return keysetBatches(this.database.repository(WebhookEventEntity).createQueryBuilder('event').where({ userId }));
  }
}
