import type { SelectQueryBuilder } from 'typeorm';
import type { Principal } from '../../common/security/principal';
import type { WebhookDelivery } from './entities/webhook-delivery.entity';
import { WebhookEvent } from './entities/webhook-event.entity';

/**
 * Keeps a query of `delivery` to what the owner of the endpoint may know: events of others are for administrators, also
 * where the endpoint got them while its owner was one.
 */
export function visibleTo(
  { userId, userType }: Principal,
  deliveries: SelectQueryBuilder<WebhookDelivery>,
): SelectQueryBuilder<WebhookDelivery> {
  return userType === 'admin'
    ? deliveries
    : deliveries.innerJoin(WebhookEvent, 'event', 'event.id = delivery.eventId AND event.userId = :userId', { userId });
}
