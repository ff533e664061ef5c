import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import { eventIdOf } from '../../../common/events/event-id';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { type StandingQuestion, StandingQuestions } from '../../../database/standing-questions';
import { insertBatch, insertRow } from '../../../database/statements/insert';
import { keptContent } from './event-content';
import { WebhookEventEntity } from './webhook-event.entity';

/**
 * Stores every event that a module publishes, except internal ones, in the transaction of its change: the event exists if
 * and only if the change does. The worker finds out afterwards who gets it, so the change waits for one insert at most.
 *
 * Events cost nothing where nobody uses webhooks: no event is stored while there is no endpoint at all. No event is lost by
 * that, since an owner hears of a new endpoint only when no instance can still believe that there is none.
 */
@Injectable()
export class WebhookOutbox {
  private readonly hasEndpoints: StandingQuestion;
  private wakeWorker: () => void = () => undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly questions: StandingQuestions,
    events: DomainEvents,
  ) {
    this.hasEndpoints = questions.add('EXISTS (SELECT 1 FROM webhook_endpoints)');
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
    await this.questions.untilAsked();
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

  private async isWanted(manager: EntityManager): Promise<boolean> {
    await this.questions.ask(manager);
    return this.hasEndpoints.answer > 0;
  }

  private toRow(event: DomainEvent): Omit<WebhookEventEntity, 'id'> {
    const { type, userId, data, content } = event;
    return {
      publicId: eventIdOf(event),
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
