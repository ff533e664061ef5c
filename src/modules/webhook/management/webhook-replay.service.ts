import { Injectable } from '@nestjs/common';
import { EntityManager, In } from 'typeorm';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import { isSubscribed } from '../../../common/events/event-patterns';
import { ActionBudgets } from '../../../common/rate-limit/action-budgets';
import { isAdministrator, Principal } from '../../../common/security/principal';
import { RequestContext } from '../../../common/security/request-context';
import { HOUR_MILLISECONDS } from '../../../common/time';
import { firstInstantOf, lastInstantOf } from '../../../common/validation/times';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { findRows } from '../../../database/statements/find';
import { keysetBatches } from '../../../database/statements/keyset-batches';
import { allOf, type RowCondition } from '../../../database/statements/row-condition';
import { lockEndpoints } from '../delivery/fair-queue';
import { RequestedDeliveries } from '../delivery/requested-deliveries';
import { WebhookDeliveryEntity } from '../delivery/webhook-delivery.entity';
import { webhookAction } from '../endpoint/webhook.audit';
import { WEBHOOK_DISABLED } from '../endpoint/webhook.events';
import type { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import { WebhookEventEntity } from '../outbox/webhook-event.entity';
import { ReplayResultDto } from './delivery.dto';
import { ReplayDto } from './delivery-query.dto';
import { WebhookService } from './webhook.service';

const HAS_FAILED =
  'EXISTS (SELECT 1 FROM webhook_deliveries WHERE webhook_deliveries.event_id = webhook_events.id ' +
  "AND webhook_deliveries.endpoint_id = ? AND webhook_deliveries.status = 'failed')";

/**
 * Most replays of a user. One request creates thousands of deliveries, and a new endpoint gets the events of all others
 * again. Without a limit, one account could fill the disk and flood another party's server.
 */
const REPLAYS = { name: 'webhook-replay', limit: 20, milliseconds: HOUR_MILLISECONDS };

/** Events read or sent again in one step, so that a long replay does not delay other requests. */
const BATCH = 500;

/** Selects the stored events to replay. */
interface Period {
  from: Date;
  to: Date;
  isOnlyFailed: boolean;
}

/** Sends the events of a period again. */
@Injectable()
export class WebhookReplayService {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhookService,
    private readonly requested: RequestedDeliveries,
    private readonly events: DomainEvents,
    private readonly clock: SharedClock,
    private readonly budgets: ActionBudgets,
  ) {}

  /**
   * Sends every stored event of the period that the endpoint would get today, including those that were delivered, were
   * given up, or are older than the endpoint.
   *
   * @throws WebhookNotFoundError, ValidationFailedError, RateLimitExceededError
   */
  async replay({ principal }: RequestContext, endpointId: number, body: ReplayDto): Promise<ReplayResultDto> {
    const endpoint = await this.webhooks.owned(principal.userId, endpointId);
    const from = firstInstantOf(body.from);
    const to = body.to === undefined ? this.clock.now() : lastInstantOf(body.to);
    if (from > to) {
      throw ValidationFailedError.of('to', 'conflicts');
    }
    await this.budgets.take(REPLAYS, principal.userId);
    const isOnlyFailed = body.only_failed ?? false;
    // Finds all events before the first one is sent: an event that is sent and fails during the replay must not be
    // found again.
    const ids = await this.find(principal, endpoint, { from, to, isOnlyFailed });
    const after = { from, to, only_failed: isOnlyFailed, events: ids.length };
    // The audit event is published first, because the sending takes more than one transaction.
    await this.database.write((manager) =>
      this.events.publish(manager, webhookAction('replay', endpoint, { before: null, after })),
    );
    let replayed = 0;
    for (let start = 0; start < ids.length; start += BATCH) {
      const batch = ids.slice(start, start + BATCH);
      replayed += await this.database.write((manager) => this.send(manager, endpointId, batch, isOnlyFailed));
    }
    return { replayed };
  }

  private async find(principal: Principal, endpoint: WebhookEndpointEntity, period: Period): Promise<number[]> {
    const ids: number[] = [];
    const found = eventsOf(principal, endpoint, period);
    const options = { members: ['id', 'type', 'data'], rows: BATCH } as const;
    for await (const events of keysetBatches(this.database.manager, WebhookEventEntity, found, options)) {
      ids.push(...events.filter((event) => isWanted(endpoint, event)).map(({ id }) => id));
    }
    return ids;
  }

  private async send(
    manager: EntityManager,
    endpointId: number,
    eventIds: number[],
    isOnlyFailed: boolean,
  ): Promise<number> {
    // If two replays run at the same time, the second one finds the deliveries that the first one created.
    await lockEndpoints(manager, [endpointId]);
    const deliveries = await findRows(
      manager,
      WebhookDeliveryEntity,
      { endpointId, eventId: In(eventIds) },
      { members: ['id', 'eventId'] },
    );
    const ids = deliveries.map(({ id }) => id);
    let sent = await this.requested.putBack(manager, ids, isOnlyFailed);
    if (!isOnlyFailed) {
      const present = new Set(deliveries.map(({ eventId }) => eventId));
      const missing = eventIds.filter((id) => !present.has(id));
      const events = await findRows(manager, WebhookEventEntity, { id: In(missing) }, { lock: 'wait' });
      sent += (await this.requested.add(manager, endpointId, events)).length;
    }
    await this.requested.makeDue(manager, endpointId);
    return sent;
  }
}

/** Excludes events that are not dispatched yet, because they are about to be sent for the first time. */
function eventsOf(
  principal: Principal,
  endpoint: WebhookEndpointEntity,
  { from, to, isOnlyFailed }: Period,
): RowCondition {
  const conditions: RowCondition[] = [
    { condition: 'occurred_at BETWEEN ? AND ? AND dispatched_at IS NOT NULL', parameters: [from, to] },
    { condition: 'endpoint_id IS NULL OR endpoint_id = ?', parameters: [endpoint.id] },
  ];
  if (!isAdministrator(principal, 'admin:read')) {
    conditions.push({ condition: 'user_id = ?', parameters: [principal.userId] });
  } else if (endpoint.scope === 'own') {
    conditions.push({ condition: 'user_id = ? OR endpoint_id = ?', parameters: [principal.userId, endpoint.id] });
  }
  if (isOnlyFailed) {
    conditions.push({ condition: HAS_FAILED, parameters: [endpoint.id] });
  }
  return allOf(...conditions);
}

function isWanted(
  { id, events }: WebhookEndpointEntity,
  { type, data }: Pick<WebhookEventEntity, 'type' | 'data'>,
): boolean {
  // A disabled endpoint never gets the event about its own end, not even by a replay.
  const isOwnEnd = type === WEBHOOK_DISABLED && data.webhook_id === id;
  return !isOwnEnd && isSubscribed(events, type);
}
