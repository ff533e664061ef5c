import { Injectable } from '@nestjs/common';
import { Attention, type AttentionItem } from '../../../common/attention/attention';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';

/** Reports failing webhooks of scope `all` to administrators, because these belong to administrators. */
@Injectable()
export class WebhookAttention {
  constructor(
    private readonly database: Database,
    attention: Attention,
  ) {
    attention.add(() => this.items());
  }

  private async items(): Promise<AttentionItem[]> {
    const endpoints = await findRows(this.database.manager, WebhookEndpointEntity, { scope: 'all' });
    return endpoints.flatMap(attentionOf);
  }
}

function attentionOf(endpoint: WebhookEndpointEntity): AttentionItem[] {
  const { id, isActive, failureCount, failingSince, disabledReason, disabledAt } = endpoint;
  const target = String(id);
  if (isActive && failingSince) return [{ kind: 'webhook_failing', since: failingSince, count: failureCount, target }];
  const wasStopped = !isActive && disabledReason !== null;
  return wasStopped ? [{ kind: 'webhook_disabled', since: disabledAt, count: 1, target }] : [];
}
