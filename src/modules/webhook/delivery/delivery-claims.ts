import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EntityManager, In } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import { WebhookEventEntity } from '../outbox/webhook-event.entity';
import type { ClaimedDelivery } from './delivery-types';
import { DueDelivery, findDueDeliveries } from './due-deliveries';
import { EndpointOwners } from './endpoint-owners';
import { EndpointPace } from './endpoint-pace';
import { EndpointTurns, LEASE_MILLISECONDS, STEP_BACK_MILLISECONDS } from './endpoint-turns';
import { WebhookDeliveryEntity } from './webhook-delivery.entity';

/** Endpoints looked at in one go. */
const ENDPOINTS_AT_ONCE = 32;

export interface Claims {
  claimed: ClaimedDelivery[];
  /** When to look again if nothing was claimed; null when nothing is known to fall due. */
  nextDueAt: Date | null;
}

/**
 * Takes due deliveries for this worker. Endpoints take turns, the longest waiting one first; whoever holds an
 * endpoint's row is the only one to take its deliveries, and the lease written on them outlives the transaction.
 */
@Injectable()
export class DeliveryClaims {
  /** Names this process in leases. */
  readonly owner = randomUUID();

  constructor(
    private readonly database: Database,
    private readonly owners: EndpointOwners,
    private readonly pace: EndpointPace,
    private readonly turns: EndpointTurns,
    private readonly clock: Clock,
  ) {}

  async claim(): Promise<Claims> {
    const now = this.clock.now();
    const candidates = await this.candidates();
    const due = candidates.filter(({ nextDueAt }) => nextDueAt !== null && nextDueAt <= now);
    if (due.length === 0) {
      return { claimed: [], nextDueAt: candidates[0]?.nextDueAt ?? null };
    }
    const ids = due.map(({ id }) => id);
    const { endpoints, deliveries } = await this.database.write((manager) => this.take(ids, now, manager));
    const claimed = await this.withEvents(deliveries, endpoints);
    return { claimed, nextDueAt: new Date(now.getTime() + STEP_BACK_MILLISECONDS) };
  }

  private candidates(): Promise<Pick<WebhookEndpointEntity, 'id' | 'nextDueAt'>[]> {
    const query = this.database
      .repository(WebhookEndpointEntity)
      .createQueryBuilder('endpoint')
      .select(['endpoint.id', 'endpoint.nextDueAt'])
      .where('endpoint.nextDueAt IS NOT NULL')
      .orderBy('endpoint.nextDueAt')
      .limit(ENDPOINTS_AT_ONCE);
    if (this.pace.full.size > 0) {
      query.andWhere('endpoint.id NOT IN (:...full)', { full: [...this.pace.full] });
    }
    return query.getMany();
  }

  private async take(
    ids: number[],
    now: Date,
    manager: EntityManager,
  ): Promise<{ endpoints: WebhookEndpointEntity[]; deliveries: DueDelivery[] }> {
    const endpoints = await this.lock(ids, now, manager);
    const turns = this.turns.allot(endpoints, now);
    const deliveries = await findDueDeliveries(turns.requests, now, manager);
    const leaseEnd = new Date(now.getTime() + LEASE_MILLISECONDS);
    if (deliveries.length > 0) {
      const lease = { leaseOwner: this.owner, nextAttemptAt: leaseEnd };
      await manager.update(WebhookDeliveryEntity, { id: In(deliveries.map(({ id }) => id)) }, lease);
    }
    await this.turns.passOn(turns, deliveries, now, manager);
    return { endpoints, deliveries };
  }

  private lock(ids: number[], now: Date, manager: EntityManager): Promise<WebhookEndpointEntity[]> {
    const query = manager
      .createQueryBuilder(WebhookEndpointEntity, 'endpoint')
      .where('endpoint.id IN (:...ids) AND endpoint.nextDueAt <= :now', { ids, now })
      .orderBy('endpoint.nextDueAt');
    return this.database.dialect === 'sqlite'
      ? query.getMany()
      : query.setLock('pessimistic_write').setOnLocked('skip_locked').getMany();
  }

  private async withEvents(deliveries: DueDelivery[], endpoints: WebhookEndpointEntity[]): Promise<ClaimedDelivery[]> {
    if (deliveries.length === 0) {
      return [];
    }
    const eventIds = [...new Set(deliveries.map(({ eventId }) => eventId))];
    const found = await this.database.repository(WebhookEventEntity).findBy({ id: In(eventIds) });
    const events = new Map(found.map((event) => [event.id, event]));
    const sharing = endpoints.filter(({ scope }) => scope === 'all').map(({ userId }) => userId);
    const administrators = await this.owners.administratorsAmong(sharing);
    return deliveries.flatMap((delivery) => {
      const endpoint = endpoints.find(({ id }) => id === delivery.endpointId);
      const event = events.get(delivery.eventId);
      if (!endpoint || !event) {
        return [];
      }
      const isPermitted =
        event.userId === endpoint.userId || event.endpointId === endpoint.id || administrators.has(endpoint.userId);
      return [{ delivery, endpoint, event, isPermitted }];
    });
  }
}
