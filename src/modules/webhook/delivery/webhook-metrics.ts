import { Injectable } from '@nestjs/common';
import { IsNull, LessThanOrEqual } from 'typeorm';
import { gauge } from '../../../common/metrics/metrics';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { countRows, findRows } from '../../../database/statements/find';
import { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import { WebhookEventEntity } from '../outbox/webhook-event.entity';

/** The webhook backlog in /metrics. Each reading costs one index lookup. */
@Injectable()
export class WebhookMetrics {
  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
  ) {
    gauge('webhook_outbox_events', 'Events whose deliveries have not been made yet', () =>
      countRows(this.database.manager, WebhookEventEntity, { dispatchedAt: IsNull() }),
    );
    gauge('webhook_overdue_seconds', 'For how long the longest waiting endpoint has had something due', () =>
      this.overdueSeconds(),
    );
  }

  private async overdueSeconds(): Promise<number> {
    const now = this.clock.now();
    const [first] = await findRows(
      this.database.manager,
      WebhookEndpointEntity,
      { nextDueAt: LessThanOrEqual(now) },
      { members: ['id', 'nextDueAt'], order: { nextDueAt: 'ASC' }, limit: 1 },
    );
    return first?.nextDueAt ? (now.getTime() - first.nextDueAt.getTime()) / 1_000 : 0;
  }
}
