import { Injectable } from '@nestjs/common';
import { FindOptionsWhere, In, SelectQueryBuilder } from 'typeorm';
import { Page, toPage } from '../../../common/envelope/page.dto';
import { Principal } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { WebhookAttemptEntity } from '../delivery/webhook-attempt.entity';
import { WebhookDeliveryEntity } from '../delivery/webhook-delivery.entity';
import { EventBodies } from '../outbox/event-bodies';
import { WebhookEventEntity } from '../outbox/webhook-event.entity';
import { DeliveryNotFoundError } from '../webhook.errors';
import { DeliveryDetailDto, DeliveryDto, toAttemptDto, toDeliveryDto } from './delivery.dto';
import { DeliveryQueryDto } from './delivery-query.dto';
import { visibleTo } from './visible-deliveries';
import { WebhookService } from './webhook.service';

/** What was and will be sent to an endpoint, for its owner to look at. */
@Injectable()
export class WebhookDeliveryService {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhookService,
    private readonly bodies: EventBodies,
  ) {}

  /** Newest first. @throws WebhookNotFoundError */
  async page(principal: Principal, endpointId: number, query: DeliveryQueryDto): Promise<Page<DeliveryDto>> {
    await this.webhooks.owned(principal, endpointId);
    const where = {
      endpointId,
      ...(query.status !== undefined && { status: query.status }),
      ...(query.event !== undefined && { eventType: query.event }),
    };
    const [deliveries, total] = await this.visible(principal, where)
      .orderBy('delivery.id', 'DESC')
      .offset((query.page - 1) * query.size)
      .limit(query.size)
      .getManyAndCount();
    const events = await this.database.repository(WebhookEventEntity).find({
      select: { id: true, publicId: true },
      where: { id: In(deliveries.map(({ eventId }) => eventId)) },
    });
    const publicIds = new Map(events.map(({ id, publicId }) => [id, publicId]));
    const items = deliveries.map((delivery) => toDeliveryDto(delivery, publicIds.get(delivery.eventId) ?? ''));
    return toPage(items, total, query);
  }

  /** @throws WebhookNotFoundError, DeliveryNotFoundError */
  async get(principal: Principal, endpointId: number, deliveryId: number): Promise<DeliveryDetailDto> {
    const endpoint = await this.webhooks.owned(principal, endpointId);
    const { delivery, event } = await this.find(principal, endpointId, deliveryId);
    const attempts = await this.database
      .repository(WebhookAttemptEntity)
      .find({ where: { deliveryId }, order: { id: 'ASC' } });
    return {
      ...toDeliveryDto(delivery, event.publicId),
      payload: this.bodies.make(event, endpoint),
      attempts: attempts.map(toAttemptDto),
    };
  }

  /** As in the list. @throws DeliveryNotFoundError */
  async show(principal: Principal, endpointId: number, deliveryId: number): Promise<DeliveryDto> {
    const { delivery, event } = await this.find(principal, endpointId, deliveryId);
    return toDeliveryDto(delivery, event.publicId);
  }

  /** A delivery of the caller's endpoint and its event. @throws DeliveryNotFoundError */
  private async find(
    principal: Principal,
    endpointId: number,
    id: number,
  ): Promise<{ delivery: WebhookDeliveryEntity; event: WebhookEventEntity }> {
    const delivery = await this.visible(principal, { id, endpointId }).getOne();
    const event = delivery && (await this.database.repository(WebhookEventEntity).findOneBy({ id: delivery.eventId }));
    if (!delivery || !event) {
      throw new DeliveryNotFoundError();
    }
    return { delivery, event };
  }

  private visible(
    principal: Principal,
    where: FindOptionsWhere<WebhookDeliveryEntity>,
  ): SelectQueryBuilder<WebhookDeliveryEntity> {
    return visibleTo(principal, this.database.repository(WebhookDeliveryEntity).createQueryBuilder('delivery')).where(
      where,
    );
  }
}
