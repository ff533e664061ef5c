import { Injectable } from '@nestjs/common';
import { EntityManager, In, IsNull, MoreThan } from 'typeorm';
import { Database } from '../../database/database';
import { PersonalDataRegistry } from '../user/user.api';
import { WebhookDeliveryEntity } from './delivery/webhook-delivery.entity';
import { WebhookEndpointEntity } from './endpoint/webhook-endpoint.entity';
import { toWebhookDto } from './management/webhook.dto';
import { EventBodies } from './outbox/event-content';
import { withoutPerson } from './outbox/event-content';
import { WebhookEventEntity } from './outbox/webhook-event.entity';

/** Rows that are read or deleted at once. */
const BATCH = 200;

/**
 * What this module keeps of a user: the endpoints, and events until they are 30 days old. What is still on its way when
 * the account is erased is delivered all the same, and goes when its delivery has ended.
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
    for (let events = await this.batch(userId, 0); events.length > 0;) {
      for (const event of events) {
        yield this.bodies.make(event, { userId, includeContent: true });
      }
      events = await this.batch(userId, events[events.length - 1]?.id ?? 0);
    }
  }

  /** An endpoint that an event is still on its way to stays as long, without what the user wrote of it. */
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

  /** Deliveries and their log go with the events; an event that is still on its way tells no longer whose it is. */
  private async eraseEvents(userId: number): Promise<'later' | void> {
    let areSomeLeft = false;
    for (let events = await this.batch(userId, 0); events.length > 0;) {
      const lastId = events[events.length - 1]?.id ?? 0;
      const left = await this.database.write((manager) => this.eraseBatch(manager, events));
      areSomeLeft ||= left > 0;
      events = await this.batch(userId, lastId);
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

  private batch(userId: number, afterId: number): Promise<WebhookEventEntity[]> {
    const where = { userId, id: MoreThan(afterId) };
    return this.database.repository(WebhookEventEntity).find({ where, order: { id: 'ASC' }, take: BATCH });
  }
}
