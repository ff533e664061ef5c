import type { DomainEvent } from '../../common/events/domain-events';
import type { DisabledReason, WebhookEndpointEntity } from './endpoint/webhook-endpoint.entity';

/** Type of the event that `POST /webhooks/{id}/test` sends to that one endpoint. */
export const WEBHOOK_TEST = 'webhook.test';

/** Type of the event that tells that the service has given up on an endpoint. */
export const WEBHOOK_DISABLED = 'webhook.disabled';

export interface WebhookDisabledEventData {
  webhook_id: number;
  url: string;
  reason: DisabledReason;
  /** ISO 8601. */
  disabled_at: string;
}

/** The service has given up on an endpoint; told to the owner's other endpoints. */
export function webhookDisabled(
  { id, userId, url }: Pick<WebhookEndpointEntity, 'id' | 'userId' | 'url'>,
  reason: DisabledReason,
  disabledAt: Date,
): DomainEvent<WebhookDisabledEventData> {
  const data = { webhook_id: id, url, reason, disabled_at: disabledAt.toISOString() };
  return { type: WEBHOOK_DISABLED, userId, data };
}

type WebhookAction = 'create' | 'update' | 'delete' | 'rotate_secret' | 'test' | 'redeliver' | 'replay';

export interface WebhookActionEventData {
  webhook_id: number;
  /** Where it was done to a single delivery of the endpoint. */
  delivery_id?: number;
  /** As the API shows it; null for what is new. */
  before: object | null;
  /** As the API shows it; null for what is gone. */
  after: object | null;
}

/** An owner did something with an endpoint; the audit log wants to know it of administrators. */
export function webhookAction(
  action: WebhookAction,
  { id, userId }: Pick<WebhookEndpointEntity, 'id' | 'userId'>,
  change: Omit<WebhookActionEventData, 'webhook_id'>,
): DomainEvent<WebhookActionEventData> {
  return { type: `webhook.${action}`, userId, data: { webhook_id: id, ...change }, isInternal: true };
}
