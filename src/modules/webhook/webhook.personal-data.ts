import { Injectable } from '@nestjs/common';
import { EntityManager, In, IsNull } from 'typeorm';
import { Database } from '../../database/database';
import { keysetBatches } from '../../database/keyset-batches';
import { PersonalDataRegistry } from '../user/user.api';
import { WebhookDeliveryEntity } from './delivery/webhook-delivery.entity';
import { WebhookEndpointEntity } from './endpoint/webhook-endpoint.entity';
import { toWebhookDto } from './management/webhook.dto';
import { EventBodies, withoutPerson } from './outbox/event-content';
import { WebhookEventEntity } from './outbox/webhook-event.entity';

/**
 * What this module keeps of a user: the endpoints, and events until they are 30 days old. What is still on its way when
 * the account is erased is delivered all the same, and is removed when its delivery has ended.
 */
@Injectable()
export class WebhookPersonalData {
  constructor(
    private readonly database: Database,
    private readonly bodies: EventBodies,
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

  /** An endpoint stays as long as an event is on its way to it, without what the user wrote about it. */
  private async eraseEndpoints(userId: number): Promise<'later' | void> {
    const endpoints = await this.database
      .repository(WebhookEndpointEntity)
      .find({ select: { id: true, isActive: true, deletedAt: true }, where: { userId }, withDeleted: true });
    const active = endpoints.filter(({ isActive, deletedAt }) => isActive && deletedAt === null).map(({ id }) => id);
    const needed = await this.neededEndpoints(userId, active);
    const needless = endpoints.map(({ id }) => id).filter((id) => !needed.includes(id));
    await this.database.write(async (manager) => {
      await manager.delete(WebhookEndpointEntity, { id: In(needless) });
      await manager.update(WebhookEndpointEntity, { id: In(needed) }, { description: '' });
    });
    return needed.length > 0 ? 'later' : undefined;
  }

  private async neededEndpoints(userId: number, ids: number[]): Promise<number[]> {
    if (await this.database.repository(WebhookEventEntity).existsBy({ userId, dispatchedAt: IsNull() })) {
      return ids;
    }
    const deliveries = this.database.repository(WebhookDeliveryEntity);
    const pending = await Promise.all(ids.map((endpointId) => deliveries.existsBy({ endpointId, status: 'pending' })));
    return ids.filter((_id, index) => pending[index]);
  }

  /** Deliveries and their log go with the events. An event that is still on its way no longer says whose it is. */
  private async eraseEvents(userId: number): Promise<'later' | void> {
    let areSomeLeft = false;
    for await (const events of this.batchesOf(userId)) {
      const left = await this.database.write((manager) => this.eraseBatch(manager, events));
      areSomeLeft ||= left > 0;
    }
    return areSomeLeft ? 'later' : undefined;
  }

  /** Answers how many events stay for now. */
  private async eraseBatch(manager: EntityManager, events: WebhookEventEntity[]): Promise<number> {
    const ids = events.map(({ id }) => id);
    const pending = await manager
      .createQueryBuilder(WebhookDeliveryEntity, 'delivery')
      .select('delivery.eventId', 'eventId')
      .innerJoin(WebhookEndpointEntity, 'endpoint', 'endpoint.id = delivery.endpointId AND endpoint.deletedAt IS NULL')
      .where({ eventId: In(ids), status: 'pending' })
      .getRawMany<{ eventId: number }>();
    const pendingIds = new Set(pending.map(({ eventId }) => eventId));
    const onTheWay = events.filter(({ id, dispatchedAt }) => dispatchedAt === null || pendingIds.has(id));
    for (const { id, type, data } of onTheWay) {
      await manager.update(WebhookEventEntity, { id }, { data: withoutPerson(type, data) as never, content: null });
    }
    await manager.delete(WebhookEventEntity, {
      id: In(ids.filter((id) => !onTheWay.some((event) => event.id === id))),
    });
    return onTheWay.length;
  }

  private batchesOf(userId: number): AsyncGenerator<WebhookEventEntity[]> {
    return keysetBatches(this.database.repository(WebhookEventEntity).createQueryBuilder('event').where({ userId }));
  }
}
