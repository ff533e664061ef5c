import type { WebhookEventEntity } from '../outbox/webhook-event.entity';
import type { WebhookDeliveryEntity } from './webhook-delivery.entity';

/** A delivery that is due now. */
export function newDelivery(
  endpointId: number,
  event: Pick<WebhookEventEntity, 'id' | 'type' | 'occurredAt'>,
  now: Date,
): Omit<WebhookDeliveryEntity, 'id'> {
  return {
    endpointId,
    eventId: event.id,
    eventType: event.type,
    status: 'pending',
    attemptCount: 0,
    retryStep: 0,
    nextAttemptAt: now,
    notBefore: null,
    isRequested: false,
    leaseOwner: null,
    lastAttemptAt: null,
    completedAt: null,
    createdAt: event.occurredAt,
  };
}

/** A delivery that the owner of the endpoint asks for. */
export function requestedDelivery(
  endpointId: number,
  event: Pick<WebhookEventEntity, 'id' | 'type' | 'occurredAt'>,
  now: Date,
): Omit<WebhookDeliveryEntity, 'id'> {
  return { ...newDelivery(endpointId, event, now), isRequested: true };
}

/** A delivery for an endpoint that the service has given up on: kept for a replay. */
export function missedDelivery(
  endpointId: number,
  event: Pick<WebhookEventEntity, 'id' | 'type' | 'occurredAt'>,
  now: Date,
): Omit<WebhookDeliveryEntity, 'id'> {
  return { ...newDelivery(endpointId, event, now), status: 'failed', nextAttemptAt: null, completedAt: now };
}
