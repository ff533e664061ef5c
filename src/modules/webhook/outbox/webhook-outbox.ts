import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { insertBatch, insertRow } from '../../../database/statements/insert';
import { runStatement } from '../../../database/statements/run-statement';
import { keptContent } from './event-content';
import { WebhookEventEntity } from './webhook-event.entity';

/** How long an instance may go on believing that there is no endpoint. */
const BELIEF_MILLISECONDS = 250;

/**
 * Stores every event that a module publishes, except internal ones, in the transaction of its change: the event exists if
 * and only if the change does. The worker finds out afterwards who gets it, so the change waits for one insert at most.
 *
 * Events cost nothing where nobody uses webhooks: no event is stored while there is no endpoint at all. No event is lost by
 * that, since an owner hears of a new endpoint only when no instance can still believe that there is none.
 */
@Injectable()
export class WebhookOutbox {
  private hasEndpoints = false;
  /** Milliseconds of the monotonic clock. */
  private believedUntil = -Infinity;
  private wakeWorker: () => void = () => undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    events: DomainEvents,
  ) {
    events.onMany('*', (all, manager) => this.record(manager, all));
  }

  /** Has `listener` called whenever an event was stored and committed. The worker listens; call it in a constructor. */
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

  /** To be awaited between the commit of a new endpoint and the answer to its owner. */
  async noticeNewEndpoint(): Promise<void> {
    this.believedUntil = -Infinity;
    if (this.database.isShared) {
      await delay(BELIEF_MILLISECONDS);
    }
  }

  private async record(manager: EntityManager, events: DomainEvent[]): Promise<void> {
    const published = events.filter(({ isInternal }) => !isInternal);
    if (published.length > 0 && (await this.isWanted(manager))) {
      await insertBatch(
        manager,
        WebhookEventEntity,
        published.map((event) => this.toRow(event)),
      );
      this.database.onCommit(() => this.wakeWorker());
    }
  }

  /** Asks the database at most once in a quarter of a second. */
  private async isWanted(manager: EntityManager): Promise<boolean> {
    if (performance.now() >= this.believedUntil) {
      // What was true at the time of the question is believed from then on, however late the answer comes.
      const askedAt = performance.now();
      const { rows } = await runStatement(manager, 'SELECT 1 FROM webhook_endpoints LIMIT 1', []);
      this.hasEndpoints = rows.length > 0;
      this.believedUntil = askedAt + BELIEF_MILLISECONDS;
    }
    return this.hasEndpoints;
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
