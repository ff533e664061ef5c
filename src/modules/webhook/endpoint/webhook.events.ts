import type { DomainEvent } from '../../../common/events/domain-events';
import { defineEvent } from '../../../common/events/event-definition';
import { choice, fact, instant, integer, personal, text } from '../../../common/events/event-fields';
import type { DisabledReason, WebhookEndpointEntity } from './webhook-endpoint.entity';

/** The event that `POST /webhooks/{id}/test` sends to that endpoint only. */
const test = defineEvent('webhook.test', {
  description: 'The owner requested a test; sent only to that endpoint, whatever its subscriptions.',
  fields: { webhook_id: fact(integer('Id of the endpoint.')) },
  example: { webhook_id: 3 },
});

const disabled = defineEvent('webhook.disabled', {
  description: 'The service gave up on deliveries to an endpoint; sent to the other endpoints.',
  fields: {
    webhook_id: fact(integer('Id of the disabled endpoint.')),
    url: personal(text('URL of the endpoint.')),
    reason: personal(choice(['gone', 'failing'], 'Why: it returned 410, or failed for five days.')),
    disabled_at: fact(instant('When it happened.')),
  },
  example: {
    webhook_id: 3,
    url: 'https://hooks.example.com/chat',
    reason: 'failing',
    disabled_at: '2026-02-05T09:30:00.000Z',
  },
});

export const WEBHOOK_EVENTS = [test, disabled];

/** Event type: the service has disabled an endpoint. */
export const WEBHOOK_DISABLED = disabled.type;

/** The event data that the mail about a disabled endpoint needs. */
export interface WebhookDisabledData {
  url: string;
  /** In ISO 8601. */
  disabled_at: string;
}

type Endpoint = Pick<WebhookEndpointEntity, 'id' | 'userId' | 'url'>;

export const webhookTest = ({ id, userId }: Pick<Endpoint, 'id' | 'userId'>): DomainEvent =>
  test(userId, { webhook_id: id });

/** The service has disabled an endpoint. The owner's other endpoints get this event. */
export const webhookDisabled = ({ id, userId, url }: Endpoint, reason: DisabledReason, disabledAt: Date): DomainEvent =>
  disabled(userId, { webhook_id: id, url, reason, disabled_at: disabledAt.toISOString() });
