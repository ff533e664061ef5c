import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { RetainedData } from '../../retention/retention.api';
import { WebhookEventEntity } from './webhook-event.entity';

/** Deletes events with their deliveries by a retention policy. */
@Injectable()
export class ExpiredEvents {
  constructor(database: Database, data: RetainedData) {
    data.add<WebhookEventEntity>({
      kind: 'events',
      entity: WebhookEventEntity,
      id: 'id',
      at: 'occurredAt',
      owner: null,
      held: null,
      batch: 200,
      remove: async (ids) => ({
        // The database removes their deliveries and attempts by cascade.
        deleted: {
          events: await database.write((manager) => deleteRows(manager, WebhookEventEntity, { id: In(ids) })),
        },
      }),
    });
  }
}
