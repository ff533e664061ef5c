import { Injectable, StreamableFile } from '@nestjs/common';
import { FindOptionsWhere, In } from 'typeorm';
import { csvList } from '../../../common/csv/csv';
import { Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { orderOf } from '../../../common/envelope/sort';
import { hasScope, isAdministrator, Principal } from '../../../common/security/principal';
import { RequestContext } from '../../../common/security/request-context';
import { Database } from '../../../database/database';
import { findRow, findRows } from '../../../database/statements/find';
import { nextOf, sortedPage } from '../../../database/statements/list-rows';
import { allOf, rowCondition, type RowsOf } from '../../../database/statements/row-condition';
import { inTimeRange } from '../../../database/statements/time-range';
import { WebhookAttemptEntity, WebhookDeliveryEntity } from '../delivery/webhook-delivery.entity';
import { DeliveryNotFoundError } from '../endpoint/webhook.errors';
import { EventBodies } from '../outbox/event-content';
import { WebhookEventEntity } from '../outbox/webhook-event.entity';
import { DELIVERY_FIELDS, DeliveryDetailDto, DeliveryDto, toAttemptDto, toDeliveryDto } from './delivery.dto';
import { DeliveryQueryDto } from './delivery-query.dto';
import { WebhookService } from './webhook.service';

/** Shows an endpoint's owner past and planned deliveries. */
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
   * @throws InvalidParameterError when the period ends before it starts
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
    const matching = this.visible(principal, where);
    if (query.format === 'csv') {
      return csvList(`deliveries-of-webhook-${endpointId}`, DELIVERY_FIELDS, async (last?: DeliveryDto) =>
        this.describe(await nextOf(...matching, last?.id)),
      );
    }
    const { items, total } = await sortedPage(...matching, orderOf(query.sort), COLUMNS, partOf(query));
    return toPage(await this.describe(items), total, query);
  }

  /** @throws WebhookNotFoundError, DeliveryNotFoundError */
  async get({ principal }: RequestContext, endpointId: number, deliveryId: number): Promise<DeliveryDetailDto> {
    const endpoint = await this.webhooks.owned(principal.userId, endpointId);
    const { delivery, event } = await this.one(principal, endpointId, deliveryId);
    const attempts = await findRows(
      this.database.manager,
      WebhookAttemptEntity,
      { deliveryId },
      { order: { id: 'ASC' } },
    );
    return {
      ...toDeliveryDto(delivery, event.publicId),
      payload: this.bodies.make(event, {
        ...endpoint,
        includeContent: endpoint.includeContent && hasScope(principal, 'chat:read'),
      }),
      attempts: attempts.map(toAttemptDto),
    };
  }

  /** A single delivery in the same form as in the list. @throws DeliveryNotFoundError */
  async show(principal: Principal, endpointId: number, deliveryId: number): Promise<DeliveryDto> {
    const { delivery, event } = await this.one(principal, endpointId, deliveryId);
    return toDeliveryDto(delivery, event.publicId);
  }

  private async describe(deliveries: WebhookDeliveryEntity[]): Promise<DeliveryDto[]> {
    const events = await findRows(
      this.database.manager,
      WebhookEventEntity,
      { id: In(deliveries.map(({ eventId }) => eventId)) },
      { members: ['id', 'publicId'] },
    );
    const publicIds = new Map(events.map(({ id, publicId }) => [id, publicId]));
    return deliveries.map((delivery) => toDeliveryDto(delivery, publicIds.get(delivery.eventId) ?? ''));
  }

  /** A delivery of the caller's endpoint with its event. @throws DeliveryNotFoundError */
  private async one(
    principal: Principal,
    endpointId: number,
    id: number,
  ): Promise<{ delivery: WebhookDeliveryEntity; event: WebhookEventEntity }> {
    const delivery = await findRow(...this.visible(principal, { id, endpointId }));
    const event = delivery && (await findRow(this.database.manager, WebhookEventEntity, { id: delivery.eventId }));
    if (!delivery || !event) {
      throw new DeliveryNotFoundError();
    }
    return { delivery, event };
  }

  /**
   * The deliveries that the endpoint's owner may see. Other users' events are visible to administrators only, even if
   * the endpoint received them while its owner was one.
   */
  private visible(principal: Principal, where: FindOptionsWhere<WebhookDeliveryEntity>): RowsOf<WebhookDeliveryEntity> {
    const { manager } = this.database;
    const deliveries = rowCondition(manager, WebhookDeliveryEntity, where);
    const isOwn = { condition: IS_OWN_EVENT, parameters: [principal.userId] };
    const isAll = isAdministrator(principal, 'admin:read');
    return [manager, WebhookDeliveryEntity, isAll ? deliveries : allOf(deliveries, isOwn)];
  }
}

const IS_OWN_EVENT =
  'EXISTS (SELECT 1 FROM webhook_events WHERE webhook_events.id = webhook_deliveries.event_id AND webhook_events.user_id = ?)';

const COLUMNS = { id: 'id', created_at: 'createdAt', next_attempt_at: 'nextAttemptAt' } as const;
