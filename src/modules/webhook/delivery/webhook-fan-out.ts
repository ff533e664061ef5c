import { Injectable } from '@nestjs/common';
import { EntityManager, In, IsNull, MoreThan } from 'typeorm';
import { isSubscribed } from '../../../common/events/event-patterns';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { deleteRows } from '../../../database/statements/delete';
import { findRows, rowExists } from '../../../database/statements/find';
import { insertBatch } from '../../../database/statements/insert';
import { idIn } from '../../../database/statements/row-condition';
import { updateRows } from '../../../database/statements/update';
import { UserDirectoryQuery } from '../../user/user.api';
import { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import { EventBodies } from '../outbox/event-content';
import { WebhookEventEntity } from '../outbox/webhook-event.entity';
import { lockEndpoints } from './fair-queue';
import { KeptDeliveries } from './kept-deliveries';
import { NewDelivery, WebhookDeliveryEntity } from './webhook-delivery.entity';

/** Events per transaction. The number is small so that no request on SQLite waits long for the lock. */
export const FAN_OUT_BATCH = 100;

/** Events that are not dispatched yet. */
const WAITING = { dispatchedAt: IsNull() };

type PendingEvent = Pick<WebhookEventEntity, 'id' | 'type' | 'userId' | 'endpointId' | 'occurredAt'>;

interface Deliveries {
  deliveries: NewDelivery[];
  /** Events that any endpoint gets, and those whose content any endpoint gets. */
  wanted: Set<number>;
  withContent: Set<number>;
}

/** Creates one delivery of each outbox event for every subscribed endpoint, exactly once. */
@Injectable()
export class WebhookFanOut {
  constructor(
    private readonly database: Database,
    private readonly users: UserDirectoryQuery,
    private readonly bodies: EventBodies,
    private readonly kept: KeptDeliveries,
    private readonly clock: SharedClock,
  ) {}

  /** Dispatches one batch. Returns the number of its events. */
  async dispatch(): Promise<number> {
    if (!(await rowExists(this.database.manager, WebhookEventEntity, WAITING))) {
      return 0;
    }
    return this.database.write(async (manager) => {
      const events = await this.takeEvents(manager);
      if (events.length > 0) {
        const now = this.clock.now();
        const endpoints = await this.findEndpoints(manager, events);
        const { deliveries, wanted, withContent } = await this.match(events, endpoints, now);
        await insertBatch(manager, WebhookDeliveryEntity, deliveries);
        this.kept.note(deliveries);
        await this.makeDue(manager, deliveries, now);
        await this.finish(manager, events, wanted, withContent, now);
      }
      return events.length;
    });
  }

  private takeEvents(manager: EntityManager): Promise<PendingEvent[]> {
    return findRows(manager, WebhookEventEntity, WAITING, {
      members: ['id', 'type', 'userId', 'endpointId', 'occurredAt'],
      order: { id: 'ASC' },
      limit: FAN_OUT_BATCH,
      lock: 'skip',
    });
  }

  private findEndpoints(manager: EntityManager, events: PendingEvent[]): Promise<WebhookEndpointEntity[]> {
    const userIds = [...new Set(events.flatMap(({ userId }) => userId ?? []))];
    const owned = idIn(userIds, 'user_id');
    const named = idIn(namedBy(events), 'id');
    return findRows(manager, WebhookEndpointEntity, {
      condition: `(scope = 'all' OR ${owned.condition} OR ${named.condition}) AND (is_active = ? OR disabled_reason IS NOT NULL)`,
      parameters: [...owned.parameters, ...named.parameters, true],
    });
  }

  private async match(events: PendingEvent[], endpoints: WebhookEndpointEntity[], now: Date): Promise<Deliveries> {
    const named = namedBy(events);
    const sharing = endpoints.filter(({ id, scope }) => scope === 'all' || named.includes(id));
    const administrators = await this.users.administratorsAmong(sharing.map(({ userId }) => userId));
    const suspended = await this.users.suspendedAmong(endpoints.map(({ userId }) => userId));
    const listening = endpoints.filter(({ userId }) => !suspended.has(userId));
    const deliveries: NewDelivery[] = [];
    const withContent = new Set<number>();
    for (const event of events) {
      for (const endpoint of listening.filter((candidate) => isWanted(candidate, event, administrators))) {
        deliveries.push((endpoint.isActive ? newDelivery : missedDelivery)(endpoint.id, event, now));
        if (this.bodies.hasContent(event, endpoint)) {
          withContent.add(event.id);
        }
      }
    }
    return { deliveries, wanted: new Set(deliveries.map(({ eventId }) => eventId)), withContent };
  }

  /** Makes workers look at the endpoints that have new deliveries. */
  private async makeDue(manager: EntityManager, deliveries: NewDelivery[], now: Date): Promise<void> {
    const due = deliveries.filter(({ nextAttemptAt }) => nextAttemptAt !== null);
    if (due.length > 0) {
      const ids = [...new Set(due.map(({ endpointId }) => endpointId))];
      await lockEndpoints(manager, ids);
      const id = In(ids);
      const laterOrNever = [
        { id, nextDueAt: IsNull() },
        { id, nextDueAt: MoreThan(now) },
      ];
      await updateRows(manager, WebhookEndpointEntity, { nextDueAt: now }, laterOrNever);
    }
  }

  /** Removes events without a recipient, and content without a recipient. */
  private async finish(
    manager: EntityManager,
    events: PendingEvent[],
    wanted: Set<number>,
    withContent: Set<number>,
    now: Date,
  ): Promise<void> {
    const ids = events.map(({ id }) => id);
    const unwanted = ids.filter((id) => !wanted.has(id));
    const thin = ids.filter((id) => wanted.has(id) && !withContent.has(id));
    const whole = ids.filter((id) => withContent.has(id));
    if (unwanted.length > 0) {
      await deleteRows(manager, WebhookEventEntity, { id: In(unwanted) });
    }
    if (thin.length > 0) {
      await updateRows(manager, WebhookEventEntity, { dispatchedAt: now, content: null }, { id: In(thin) });
    }
    if (whole.length > 0) {
      await updateRows(manager, WebhookEventEntity, { dispatchedAt: now }, { id: In(whole) });
    }
  }
}

/** The endpoints that are the only recipient of an event. */
function namedBy(events: PendingEvent[]): number[] {
  return [...new Set(events.flatMap(({ endpointId }) => endpointId ?? []))];
}

function isWanted(endpoint: WebhookEndpointEntity, event: PendingEvent, administrators: Set<number>): boolean {
  const isShared = event.endpointId === null ? endpoint.scope === 'all' : isNamed(endpoint, event);
  const mayHave = endpoint.userId === event.userId || (isShared && administrators.has(endpoint.userId));
  // Instances' clocks may differ slightly, but with several instances creating an endpoint takes longer than that
  // difference.
  const isEarlier = event.occurredAt < endpoint.activeSince;
  // A disabled endpoint never gets the event about its own end, not even by a replay.
  const isOwnEnd = !endpoint.isActive && event.type.startsWith('webhook.');
  return mayHave && !isEarlier && !isOwnEnd && isSubscribed(endpoint.events, event.type);
}

/** An endpoint whose scope is now `all` gets the event in the same way as all others. */
function isNamed({ id, scope }: WebhookEndpointEntity, { endpointId }: PendingEvent): boolean {
  return scope === 'own' && id === endpointId;
}

/** A delivery that is due now. */
export function newDelivery(
  endpointId: number,
  event: Pick<WebhookEventEntity, 'id' | 'type' | 'occurredAt'>,
  now: Date,
): NewDelivery {
  return {
    endpointId,
    eventId: event.id,
    eventType: event.type,
    status: 'pending',
    attemptCount: 0,
    retryStep: 0,
    nextAttemptAt: now,
    notBefore: null,
    isRequested: false,
    leaseOwner: null,
    lastAttemptAt: null,
    completedAt: null,
    createdAt: event.occurredAt,
  };
}

/** A delivery for an endpoint that the service has disabled, kept for a replay. */
function missedDelivery(endpointId: number, event: PendingEvent, now: Date): NewDelivery {
  return { ...newDelivery(endpointId, event, now), status: 'failed', nextAttemptAt: null, completedAt: now };
}
