import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { findRows } from '../../../database/statements/find';
import { insertEntity } from '../../../database/statements/insert';
import { webhookAction } from '../endpoint/webhook.audit';
import { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import { toWebhookDto } from './webhook.dto';

/** Most endpoints of a user. */
const MOST_PER_USER = 3;

const SLOTS = Array.from({ length: MOST_PER_USER }, (_element, index) => index + 1);

/** Adds endpoints. Even with concurrent requests, a user has at most three. */
@Injectable()
export class EndpointStore {
  constructor(
    private readonly database: Database,
    private readonly events: DomainEvents,
  ) {}

  /** @throws ValidationFailedError when the user has the maximum number of endpoints */
  async add(endpoint: Omit<WebhookEndpointEntity, 'id' | 'slot'>): Promise<WebhookEndpointEntity> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.database.write((manager) => this.insert(manager, endpoint));
      } catch (error) {
        // Another request took the slot first. Another slot may be free.
        if (attempt > MOST_PER_USER || !isUniqueViolation(error, 'slot')) {
          throw error;
        }
      }
    }
  }

  private async insert(
    manager: EntityManager,
    endpoint: Omit<WebhookEndpointEntity, 'id' | 'slot'>,
  ): Promise<WebhookEndpointEntity> {
    const { userId } = endpoint;
    const owned = await findRows(manager, WebhookEndpointEntity, { userId }, { members: ['id', 'slot'] });
    const slot = SLOTS.find((candidate) => !owned.some((existing) => existing.slot === candidate));
    if (slot === undefined) {
      throw ValidationFailedError.of('webhooks', 'too_many_items', { maximum: MOST_PER_USER });
    }
    const added = await insertEntity(manager, WebhookEndpointEntity, { ...endpoint, slot });
    await this.events.publish(manager, webhookAction('create', added, { before: null, after: toWebhookDto(added) }));
    return added;
  }
}
