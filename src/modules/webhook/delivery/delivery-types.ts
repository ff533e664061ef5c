import type { OutboundFailure } from '../../../integrations/outbound-http/outbound-answer';
import type { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import type { WebhookEventEntity } from '../outbox/webhook-event.entity';
import type { WebhookDeliveryEntity } from './webhook-delivery.entity';

/** A delivery that this worker alone may attempt until its lease lapses. */
export interface ClaimedDelivery {
  delivery: Pick<WebhookDeliveryEntity, 'id' | 'endpointId' | 'eventId' | 'retryStep'>;
  /** As it was when the delivery was claimed. */
  endpoint: WebhookEndpointEntity;
  event: WebhookEventEntity;
  /** False once the owner of a scope `all` endpoint is no administrator any more and the event is somebody else's. */
  isPermitted: boolean;
}

/** Reasons in the log of attempts. */
export type AttemptError = OutboundFailure | 'status' | 'redirect' | 'gone' | 'not_permitted' | 'internal_error';

/**
 * How an attempt ended. `interrupted`: the process stopped it, which is no fault of the endpoint. `refused`: nothing was
 * sent, and nothing will be.
 */
export type AttemptOutcome = 'succeeded' | 'failed' | 'gone' | 'refused' | 'interrupted';

export interface AttemptResult {
  claimed: ClaimedDelivery;
  outcome: AttemptOutcome;
  startedAt: Date;
  durationMilliseconds: number;
  statusCode: number | null;
  error: AttemptError | null;
  responseBody: string | null;
  /** What the endpoint asked for, from the end of the attempt; null when it asked for nothing. */
  retryAfterMilliseconds: number | null;
}
