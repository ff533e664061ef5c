import { Injectable } from '@nestjs/common';
import { In, MoreThan } from 'typeorm';
import { Database } from '../../database/database';
import { PersonalDataRegistry } from '../user/personal-data/personal-data-registry.service';
import { toWebhookDto } from './dto/webhook.dto';
import { WebhookEndpoint } from './entities/webhook-endpoint.entity';
import { WebhookEvent } from './entities/webhook-event.entity';
import { EventBodies } from './event-bodies';

/** Rows that are read or deleted at once. */
const BATCH = 200;

/** What this module keeps of a user: the endpoints, and events until they are 30 days old. */
@Injectable()
export class WebhookPersonalData {
  constructor(
    private readonly database: Database,
    private readonly bodies: EventBodies,
    registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'webhooks',
      entities: [WebhookEndpoint],
      rows: (userId) => registry.read(WebhookEndpoint, userId, toWebhookDto),
      erase: (userId) => registry.delete(WebhookEndpoint, userId),
    });
    registry.register({
      name: 'webhook_events',
      entities: [WebhookEvent],
      rows: (userId) => this.events(userId),
      erase: (userId) => this.eraseEvents(userId),
    });
  }

  private async *events(userId: number): AsyncGenerator<object> {
    for (let events = await this.batch(userId, 0); events.length > 0;) {
      for (const event of events) {
        yield this.bodies.make(event, { userId, includeContent: true });
      }
      events = await this.batch(userId, events[events.length - 1]?.id ?? 0);
    }
  }

  /** Deliveries and their log go with the events. */
  private async eraseEvents(userId: number): Promise<void> {
    for (let events = await this.batch(userId, 0); events.length > 0; events = await this.batch(userId, 0)) {
      const ids = events.map(({ id }) => id);
      await this.database.write((manager) => manager.delete(WebhookEvent, { id: In(ids) }));
    }
  }

  private batch(userId: number, afterId: number): Promise<WebhookEvent[]> {
    const where = { userId, id: MoreThan(afterId) };
    return this.database.repository(WebhookEvent).find({ where, order: { id: 'ASC' }, take: BATCH });
  }
}
