import { Injectable, StreamableFile } from '@nestjs/common';
import { FindOptionsWhere, In, SelectQueryBuilder } from 'typeorm';
import { csvList } from '../../../common/csv/csv';
import { Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { orderOf } from '../../../common/envelope/sort';
import { isAdministrator, Principal } from '../../../common/security/principal';
import { RequestContext } from '../../../common/security/request-context';
import { Database } from '../../../database/database';
import { nextRows, sortedRows } from '../../../database/statements/list-rows';
import { inTimeRange } from '../../../database/statements/time-range';
import { WebhookAttemptEntity, WebhookDeliveryEntity } from '../delivery/webhook-delivery.entity';
import { DeliveryNotFoundError } from '../endpoint/webhook.errors';
import { EventBodies } from '../outbox/event-content';
import { WebhookEventEntity } from '../outbox/webhook-event.entity';
import { DELIVERY_FIELDS, DeliveryDetailDto, DeliveryDto, toAttemptDto, toDeliveryDto } from './delivery.dto';
import { DeliveryQueryDto } from './delivery-query.dto';
import { WebhookService } from './webhook.service';

/** Shows the owner of an endpoint what was sent to it and what will be. */
@Injectable()
export class WebhookDeliveryService {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhookService,
    private readonly bodies: EventBodies,
  ) {}

  /**
   * One page of the deliveries, or all matching ones as a file.
   *
   * @throws WebhookNotFoundError
   * @throws InvalidParameterError when the period ends before it begins.
   */
  async find(
    { principal }: RequestContext,
    endpointId: number,
    query: DeliveryQueryDto,
  ): Promise<Page<DeliveryDto> | StreamableFile> {
    await this.webhooks.owned(principal.userId, endpointId);
    const createdAt = inTimeRange(query);
    const where = {
      endpointId,
      ...(query.status !== undefined && { status: query.status }),
      ...(query.event !== undefined && { eventType: query.event }),
      ...(createdAt && { createdAt }),
    };
    const matching = (): SelectQueryBuilder<WebhookDeliveryEntity> => this.visible(principal, where);
    if (query.format === 'csv') {
      return csvList(`deliveries-of-webhook-${endpointId}`, DELIVERY_FIELDS, async (last?: DeliveryDto) =>
        this.describe(await nextRows(matching(), last?.id)),
      );
    }
    const { items, total } = await sortedRows(matching(), orderOf(query.sort), COLUMNS, partOf(query));
    return toPage(await this.describe(items), total, query);
  }

  /** @throws WebhookNotFoundError, DeliveryNotFoundError */
  async get({ principal }: RequestContext, endpointId: number, deliveryId: number): Promise<DeliveryDetailDto> {
    const endpoint = await this.webhooks.owned(principal.userId, endpointId);
    const { delivery, event } = await this.one(principal, endpointId, deliveryId);
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
    const { delivery, event } = await this.one(principal, endpointId, deliveryId);
    return toDeliveryDto(delivery, event.publicId);
  }

  private async describe(deliveries: WebhookDeliveryEntity[]): Promise<DeliveryDto[]> {
    const events = await this.database.repository(WebhookEventEntity).find({
      select: { id: true, publicId: true },
      where: { id: In(deliveries.map(({ eventId }) => eventId)) },
    });
    const publicIds = new Map(events.map(({ id, publicId }) => [id, publicId]));
    return deliveries.map((delivery) => toDeliveryDto(delivery, publicIds.get(delivery.eventId) ?? ''));
  }

  /** A delivery of the caller's endpoint and its event. @throws DeliveryNotFoundError */
  private async one(
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

  /**
   * The deliveries that the owner of the endpoint may know. Events of others are for administrators only, also where the
   * endpoint got them while its owner was one.
   */
  private visible(
    principal: Principal,
    where: FindOptionsWhere<WebhookDeliveryEntity>,
  ): SelectQueryBuilder<WebhookDeliveryEntity> {
    const deliveries = this.database.repository(WebhookDeliveryEntity).createQueryBuilder('delivery').where(where);
    const isOwnEvent = 'event.id = delivery.eventId AND event.userId = :userId';
    return isAdministrator(principal, 'admin:read')
      ? deliveries
      : deliveries.innerJoin(WebhookEventEntity, 'event', isOwnEvent, { userId: principal.userId });
  }
}

const COLUMNS = { id: 'id', created_at: 'createdAt', next_attempt_at: 'nextAttemptAt' } as const;
