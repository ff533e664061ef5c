import { Injectable } from '@nestjs/common';
import { EntityManager, In, SelectQueryBuilder } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import { isAdministrator, Principal } from '../../../common/security/principal';
import { RequestContext } from '../../../common/security/request-context';
import { firstInstantOf, lastInstantOf } from '../../../common/validation/times';
import { Database } from '../../../database/database';
import { keysetBatches } from '../../../database/statements/keyset-batches';
import { rowLock } from '../../../database/statements/row-lock';
import { isSubscribed } from '../catalogue/event-catalogue';
import { lockEndpoints } from '../delivery/endpoint-turns';
import { RequestedDeliveries } from '../delivery/requested-deliveries';
import { WebhookDeliveryEntity } from '../delivery/webhook-delivery.entity';
import { webhookAction } from '../endpoint/webhook.audit';
import { WEBHOOK_DISABLED } from '../endpoint/webhook.events';
import type { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import { WebhookEventEntity } from '../outbox/webhook-event.entity';
import { ReplayResultDto } from './delivery.dto';
import { ReplayDto } from './delivery-query.dto';
import { WebhookService } from './webhook.service';

/** Events read or sent again in one step, so that a long replay delays nobody. */
const BATCH = 500;

/** Which of the kept events a replay is about. */
interface Period {
  from: Date;
  to: Date;
  onlyFailed: boolean;
}

/** Sends the events of a period again. */
@Injectable()
export class WebhookReplayService {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhookService,
    private readonly requested: RequestedDeliveries,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends every stored event of the period that the endpoint would get today, also those that were delivered, were given
   * up, or are older than the endpoint.
   *
   * @throws WebhookNotFoundError, ValidationFailedError
   */
  async replay({ principal }: RequestContext, endpointId: number, body: ReplayDto): Promise<ReplayResultDto> {
    const endpoint = await this.webhooks.owned(principal.userId, endpointId);
    const from = firstInstantOf(body.from);
    const to = body.to === undefined ? this.clock.now() : lastInstantOf(body.to);
    if (from > to) {
      throw ValidationFailedError.of('to', 'conflicts');
    }
    const onlyFailed = body.only_failed ?? false;
    // All are found before the first is sent: what is sent and fails meanwhile must not be found again.
    const ids = await this.find(principal, endpoint, { from, to, onlyFailed });
    const after = { from, to, only_failed: onlyFailed, events: ids.length };
    // The action is told first, because the sending takes more than one transaction.
    await this.database.write((manager) =>
      this.events.publish(manager, webhookAction('replay', endpoint, { before: null, after })),
    );
    let replayed = 0;
    for (let start = 0; start < ids.length; start += BATCH) {
      const batch = ids.slice(start, start + BATCH);
      replayed += await this.database.write((manager) => this.send(manager, endpointId, batch, onlyFailed));
    }
    return { replayed };
  }

  private async find(principal: Principal, endpoint: WebhookEndpointEntity, period: Period): Promise<number[]> {
    const ids: number[] = [];
    for await (const events of keysetBatches(this.eventsOf(principal, endpoint, period), { rows: BATCH })) {
      ids.push(...events.filter((event) => isWanted(endpoint, event)).map(({ id }) => id));
    }
    return ids;
  }

  /** Leaves out events that are not dispatched yet: they are on their way for the first time. */
  private eventsOf(
    principal: Principal,
    endpoint: WebhookEndpointEntity,
    { from, to, onlyFailed }: Period,
  ): SelectQueryBuilder<WebhookEventEntity> {
    const query = this.database
      .repository(WebhookEventEntity)
      .createQueryBuilder('event')
      .select(['event.id', 'event.type', 'event.data'])
      .where('event.occurredAt BETWEEN :from AND :to', { from, to })
      .andWhere('event.dispatchedAt IS NOT NULL')
      .andWhere('(event.endpointId IS NULL OR event.endpointId = :endpointId)', { endpointId: endpoint.id });
    if (endpoint.scope === 'own' || !isAdministrator(principal, 'admin:read')) {
      query.andWhere('event.userId = :userId', { userId: principal.userId });
    }
    if (onlyFailed) {
      const delivery =
        'delivery.eventId = event.id AND delivery.endpointId = :endpointId AND delivery.status = :status';
      query.innerJoin(WebhookDeliveryEntity, 'delivery', delivery, { status: 'failed' });
    }
    return query;
  }

  private async send(
    manager: EntityManager,
    endpointId: number,
    eventIds: number[],
    onlyFailed: boolean,
  ): Promise<number> {
    // Of two replays at the same time, the second finds the deliveries that the first has made.
    await lockEndpoints(manager, [endpointId]);
    const deliveries = await manager.find(WebhookDeliveryEntity, {
      select: { id: true, eventId: true },
      where: { endpointId, eventId: In(eventIds) },
    });
    const ids = deliveries.map(({ id }) => id);
    let sent = await this.requested.putBack(manager, ids, onlyFailed);
    if (!onlyFailed) {
      const present = new Set(deliveries.map(({ eventId }) => eventId));
      const missing = eventIds.filter((id) => !present.has(id));
      const events = await manager.find(WebhookEventEntity, { where: { id: In(missing) }, ...rowLock(manager) });
      sent += (await this.requested.add(manager, endpointId, events)).length;
    }
    await this.requested.makeDue(manager, endpointId);
    return sent;
  }
}

function isWanted({ id, events }: WebhookEndpointEntity, { type, data }: WebhookEventEntity): boolean {
  // An endpoint is not told that it was given up, not even by a replay.
  const isOwnEnd = type === WEBHOOK_DISABLED && data.webhook_id === id;
  return !isOwnEnd && isSubscribed(events, type);
}
