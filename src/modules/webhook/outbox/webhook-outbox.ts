import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EntityManager, QueryDeepPartialEntity } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { WebhookWorker } from '../delivery/webhook-worker';
import { EndpointPresence } from './endpoint-presence';
import { keptContent } from './event-content';
import { WebhookEventEntity } from './webhook-event.entity';

/**
 * Writes every event that a module publishes, internal ones apart, in the transaction of its change: the event exists if
 * and only if the change does. Who gets it is found out afterwards by the worker, so that the change waits for one insert
 * at most.
 */
@Injectable()
export class WebhookOutbox {
  constructor(
    private readonly database: Database,
    private readonly presence: EndpointPresence,
    private readonly worker: WebhookWorker,
    private readonly clock: Clock,
    events: DomainEvents,
  ) {
    events.on('*', (event, manager) => this.record(event, manager));
  }

  /** Writes an event for a single endpoint and returns it. */
  async recordFor(endpointId: number, event: DomainEvent, manager: EntityManager): Promise<WebhookEventEntity> {
    return this.insert({ ...this.toRow(event), endpointId, dispatchedAt: this.clock.now() }, manager);
  }

  private async record(event: DomainEvent, manager: EntityManager): Promise<void> {
    if (!event.isInternal && (await this.presence.isAny(manager))) {
      await this.insert(this.toRow(event), manager);
    }
  }

  private async insert(row: Omit<WebhookEventEntity, 'id'>, manager: EntityManager): Promise<WebhookEventEntity> {
    const { identifiers } = await manager.insert(WebhookEventEntity, row as QueryDeepPartialEntity<WebhookEventEntity>);
    this.database.onCommit(() => this.worker.wake());
    return { ...row, id: Number(identifiers[0]?.id) };
  }

  private toRow({ type, userId, data, content }: DomainEvent): Omit<WebhookEventEntity, 'id'> {
    return {
      publicId: `evt_${randomBytes(16).toString('hex')}`,
      type,
      userId,
      endpointId: null,
      data: { ...data },
      content: keptContent(content),
      occurredAt: this.clock.now(),
      dispatchedAt: null,
    };
  }
}
