import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainEvent, DomainEvents, type EventHearers } from '../../../common/events/domain-events';
import { eventIdOf } from '../../../common/events/event-id';
import { isSubscribed } from '../../../common/events/event-patterns';
import { formatTraceparent } from '../../../common/tracing/trace-context';
import { Tracing } from '../../../common/tracing/tracing';
import { Database } from '../../../database/database';
import { type PolledValue, PolledValues } from '../../../database/polled-values';
import { SharedClock } from '../../../database/shared-clock';
import { findRows } from '../../../database/statements/find';
import { insertBatch, insertRow } from '../../../database/statements/insert';
import { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import { keptContent } from './event-content';
import { WebhookEventEntity } from './webhook-event.entity';

/** An event for one endpoint. */
interface HeardEvent {
  event: DomainEvent;
  endpointId: number;
}

/**
 * Stores every event that a module publishes, except internal ones, in the same transaction as its change. The event
 * exists if and only if the change does. The worker determines the recipients later, so the change waits for one insert
 * at most.
 *
 * Without webhooks, events cost nothing: no event is stored while there is no endpoint. This loses no event, because
 * the owner of a new endpoint gets the response only after every instance has noticed the endpoint.
 */
@Injectable()
export class WebhookOutbox {
  private readonly hasEndpoints: PolledValue;
  private wakeWorker: () => void = () => undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly polledValues: PolledValues,
    private readonly tracing: Tracing,
    events: DomainEvents,
  ) {
    this.hasEndpoints = polledValues.add('EXISTS (SELECT 1 FROM webhook_endpoints)');
    events.onMany('*', (all, manager) => this.record(manager, all));
  }

  /** Calls `listener` after each commit that stored an event. The worker registers here. Call it in a constructor. */
  onRecorded(listener: () => void): void {
    this.wakeWorker = listener;
  }

  /** Stores an event for a single endpoint and returns it. */
  async recordFor(manager: EntityManager, endpointId: number, event: DomainEvent): Promise<WebhookEventEntity> {
    const row = { ...this.toRow(event), endpointId, dispatchedAt: this.clock.now() };
    const id = await insertRow(manager, WebhookEventEntity, row);
    this.database.onCommit(() => this.wakeWorker());
    return { ...row, id };
  }

  /** Await this between the commit of a new endpoint and the response to its owner. */
  async noticeNewEndpoint(): Promise<void> {
    await this.polledValues.untilRefreshed();
  }

  private async record(manager: EntityManager, events: DomainEvent[]): Promise<void> {
    const published = events.filter(({ isInternal }) => !isInternal);
    if (published.length > 0 && (await this.isWanted(manager))) {
      const heard = await heardByOwners(manager, published);
      await insertBatch(manager, WebhookEventEntity, [
        ...published.map((event) => this.toRow(event)),
        ...heard.map(({ event, endpointId }) => ({ ...this.toRow(event), endpointId })),
      ]);
      this.database.onCommit(() => this.wakeWorker());
    }
  }

  private async isWanted(manager: EntityManager): Promise<boolean> {
    await this.polledValues.refresh(manager);
    return this.hasEndpoints.value > 0;
  }

  private toRow(event: DomainEvent): Omit<WebhookEventEntity, 'id'> {
    const { type, userId, data, content } = event;
    const span = this.tracing.active.context;
    return {
      publicId: eventIdOf(event),
      type,
      userId,
      endpointId: null,
      data: { ...data },
      content: keptContent(content),
      occurredAt: this.clock.now(),
      dispatchedAt: null,
      ...(span !== null && { span: formatTraceparent(span) }),
    };
  }
}

/**
 * The events without a user for endpoints of scope `own`. An owner who is among an event's hearers gets it. One query
 * serves all events with the same hearers.
 */
async function heardByOwners(manager: EntityManager, events: readonly DomainEvent[]): Promise<HeardEvent[]> {
  const shared = events.filter(({ userId }) => userId === null);
  const heard: HeardEvent[] = [];
  for (const hearers of new Set(shared.flatMap((event) => event.hearers ?? []))) {
    for (const { id, events: patterns } of await endpointsOf(manager, hearers)) {
      const wanted = shared.filter((event) => event.hearers === hearers && isSubscribed(patterns, event.type));
      heard.push(...wanted.map((event) => ({ event, endpointId: id })));
    }
  }
  return heard;
}

function endpointsOf(manager: EntityManager, { users, parameters }: EventHearers): Promise<WebhookEndpointEntity[]> {
  const condition = `scope = 'own' AND (is_active = ? OR disabled_reason IS NOT NULL) AND user_id IN (${users})`;
  return findRows(manager, WebhookEndpointEntity, { condition, parameters: [true, ...parameters] });
}
