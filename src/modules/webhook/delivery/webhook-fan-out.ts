import { Injectable } from '@nestjs/common';
import { Brackets, EntityManager, In, IsNull, MoreThan } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { isSubscribed } from '../catalogue/event-catalogue';
import { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import { EventBodies } from '../outbox/event-bodies';
import { WebhookEventEntity } from '../outbox/webhook-event.entity';
import { lockEndpoints } from './endpoint-lock';
import { EndpointOwners } from './endpoint-owners';
import { missedDelivery, newDelivery } from './new-delivery';
import { WebhookDeliveryEntity } from './webhook-delivery.entity';

/** Events of one transaction: few enough that no request on SQLite waits long for its turn. */
export const FAN_OUT_BATCH = 100;

type NewDelivery = Omit<WebhookDeliveryEntity, 'id'>;
type PendingEvent = Pick<WebhookEventEntity, 'id' | 'type' | 'userId' | 'occurredAt'>;

/** Turns each event of the outbox into one delivery for every endpoint that wants it, exactly once. */
@Injectable()
export class WebhookFanOut {
  constructor(
    private readonly database: Database,
    private readonly owners: EndpointOwners,
    private readonly bodies: EventBodies,
    private readonly clock: Clock,
  ) {}

  /** Works off one batch and answers how many events it had. */
  async dispatch(): Promise<number> {
    if (!(await this.database.repository(WebhookEventEntity).existsBy({ dispatchedAt: IsNull() }))) {
      return 0;
    }
    return this.database.write((manager) => this.dispatchBatch(manager));
  }

  private async dispatchBatch(manager: EntityManager): Promise<number> {
    const events = await this.takeEvents(manager);
    if (events.length === 0) {
      return 0;
    }
    const now = this.clock.now();
    const endpoints = await this.endpointsFor(events, manager);
    const sharing = endpoints.filter(({ scope }) => scope === 'all').map(({ userId }) => userId);
    const administrators = await this.owners.administratorsAmong(sharing);
    const deliveries: NewDelivery[] = [];
    const withContent = new Set<number>();
    for (const event of events) {
      for (const endpoint of endpoints.filter((candidate) => isWanted(candidate, event, administrators))) {
        deliveries.push((endpoint.isActive ? newDelivery : missedDelivery)(endpoint.id, event, now));
        if (this.bodies.hasContent(event, endpoint)) {
          withContent.add(event.id);
        }
      }
    }
    await this.store(deliveries, now, manager);
    await this.finish(events, new Set(deliveries.map(({ eventId }) => eventId)), withContent, now, manager);
    return events.length;
  }

  private takeEvents(manager: EntityManager): Promise<PendingEvent[]> {
    const query = manager
      .createQueryBuilder(WebhookEventEntity, 'event')
      .select(['event.id', 'event.type', 'event.userId', 'event.occurredAt'])
      .where('event.dispatchedAt IS NULL')
      .orderBy('event.id')
      .limit(FAN_OUT_BATCH);
    return this.database.dialect === 'sqlite'
      ? query.getMany()
      : query.setLock('pessimistic_write').setOnLocked('skip_locked').getMany();
  }

  private endpointsFor(events: PendingEvent[], manager: EntityManager): Promise<WebhookEndpointEntity[]> {
    const userIds = [...new Set(events.flatMap(({ userId }) => userId ?? []))];
    return manager
      .createQueryBuilder(WebhookEndpointEntity, 'endpoint')
      .where(
        new Brackets((owner) => {
          owner.where("endpoint.scope = 'all'");
          if (userIds.length > 0) {
            owner.orWhere('endpoint.userId IN (:...userIds)', { userIds });
          }
        }),
      )
      .andWhere(
        new Brackets((state) => {
          state.where('endpoint.isActive = :active', { active: true }).orWhere('endpoint.disabledReason IS NOT NULL');
        }),
      )
      .getMany();
  }

  private async store(deliveries: NewDelivery[], now: Date, manager: EntityManager): Promise<void> {
    for (let start = 0; start < deliveries.length; start += 500) {
      const values = deliveries.slice(start, start + 500);
      await manager
        .createQueryBuilder()
        .insert()
        .into(WebhookDeliveryEntity)
        .values(values)
        .updateEntity(false)
        .execute();
    }
    const due = deliveries.filter(({ nextAttemptAt }) => nextAttemptAt !== null);
    if (due.length > 0) {
      const ids = [...new Set(due.map(({ endpointId }) => endpointId))];
      await lockEndpoints(ids, manager);
      const id = In(ids);
      const laterOrNever = [
        { id, nextDueAt: IsNull() },
        { id, nextDueAt: MoreThan(now) },
      ];
      await manager
        .createQueryBuilder()
        .update(WebhookEndpointEntity)
        .set({ nextDueAt: now })
        .where(laterOrNever)
        .execute();
    }
  }

  /** Events that nobody wants go, and so does content that nobody wants. */
  private async finish(
    events: PendingEvent[],
    wanted: Set<number>,
    withContent: Set<number>,
    now: Date,
    manager: EntityManager,
  ): Promise<void> {
    const ids = events.map(({ id }) => id);
    const [kept, unwanted] = [ids.filter((id) => wanted.has(id)), ids.filter((id) => !wanted.has(id))];
    const thin = kept.filter((id) => !withContent.has(id));
    const whole = kept.filter((id) => withContent.has(id));
    if (unwanted.length > 0) {
      await manager.delete(WebhookEventEntity, { id: In(unwanted) });
    }
    if (thin.length > 0) {
      await manager.update(WebhookEventEntity, { id: In(thin) }, { dispatchedAt: now, content: null });
    }
    if (whole.length > 0) {
      await manager.update(WebhookEventEntity, { id: In(whole) }, { dispatchedAt: now });
    }
  }
}

function isWanted(endpoint: WebhookEndpointEntity, event: PendingEvent, administrators: Set<number>): boolean {
  const mayHave = endpoint.userId === event.userId || (endpoint.scope === 'all' && administrators.has(endpoint.userId));
  // Clocks of instances may differ a little: where there are several, making an endpoint takes longer than that.
  const isEarlier = event.occurredAt < endpoint.activeSince;
  // An endpoint that was given up is not told so, not even by a replay.
  const isOwnEnd = !endpoint.isActive && event.type.startsWith('webhook.');
  return mayHave && !isEarlier && !isOwnEnd && isSubscribed(endpoint.events, event.type);
}
