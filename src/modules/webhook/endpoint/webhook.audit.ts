import { type AuditedChange, defineAudit } from '../../../common/audit/audit-definition';
import type { DomainEvent } from '../../../common/events/domain-events';
import type { WebhookEndpointEntity } from './webhook-endpoint.entity';

/** Omitted because the audit entry already contains these facts. */
const KNOWN_FIELDS = new Set(['id', 'webhook_id', 'created_at', 'updated_at']);

/** The audit log's view of an endpoint or a delivery: the same as the API's. */
export const webhookAudit = defineAudit<object>({
  subject: 'webhook',
  state: (shown) => Object.fromEntries(Object.entries(shown).filter(([name]) => !KNOWN_FIELDS.has(name))),
  personal: ['url', 'description'],
});

type WebhookAction = 'create' | 'update' | 'delete' | 'rotate_secret' | 'test' | 'redeliver' | 'replay';

/**
 * An owner's operation on an endpoint.
 *
 * @param change what the API shows before and after; `about` contains the delivery if the operation concerns a single
 * one
 */
export function webhookAction(
  action: WebhookAction,
  { id, userId }: Pick<WebhookEndpointEntity, 'id' | 'userId'>,
  change: { before: object | null; after: object | null; about?: { delivery_id: number } },
): DomainEvent<AuditedChange> {
  return webhookAudit.change(action, { id, userId, ...change });
}
