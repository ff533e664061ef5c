import type { SelectQueryBuilder } from 'typeorm';
import type { Principal } from '../../../common/security/principal';
import type { WebhookDeliveryEntity } from '../delivery/webhook-delivery.entity';
import { WebhookEventEntity } from '../outbox/webhook-event.entity';

/**
 * Keeps a query of `delivery` to what the owner of the endpoint may know: events of others are for administrators, also
 * where the endpoint got them while its owner was one.
 */
export function visibleTo(
  { userId, userType }: Principal,
  deliveries: SelectQueryBuilder<WebhookDeliveryEntity>,
): SelectQueryBuilder<WebhookDeliveryEntity> {
  return userType === 'admin'
    ? deliveries
    : deliveries.innerJoin(WebhookEventEntity, 'event', 'event.id = delivery.eventId AND event.userId = :userId', {
        userId,
      });
}
