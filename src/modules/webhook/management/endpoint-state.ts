import type { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import type { UpdateWebhookDto } from './webhook-body.dto';

type State = Pick<
  WebhookEndpointEntity,
  | 'isActive'
  | 'activeSince'
  | 'nextDueAt'
  | 'heldUntil'
  | 'failureCount'
  | 'failingSince'
  | 'recoveredAt'
  | 'disabledReason'
  | 'disabledAt'
>;

/** The state of an endpoint that is not known to have failed. What waits for it is sent now. */
export function freshState(now: Date): State {
  return {
    isActive: true,
    activeSince: now,
    nextDueAt: now,
    heldUntil: null,
    failureCount: 0,
    failingSince: null,
    recoveredAt: now,
    disabledReason: null,
    disabledAt: null,
  };
}

/** The columns that an owner's request changes. All others belong to the worker and may change at the same time. */
export function requestedChanges(
  endpoint: WebhookEndpointEntity,
  body: UpdateWebhookDto,
  now: Date,
): Partial<WebhookEndpointEntity> {
  const changes: Partial<WebhookEndpointEntity> = { updatedAt: now };
  if (body.url !== undefined) changes.url = body.url;
  if (body.events !== undefined) changes.events = body.events;
  if (body.description !== undefined) changes.description = body.description;
  if (body.include_content !== undefined) changes.includeContent = body.include_content;
  if (body.scope !== undefined) changes.scope = body.scope;
  return { ...changes, ...stateChanges(endpoint, body, now) };
}

function stateChanges(
  endpoint: WebhookEndpointEntity,
  body: UpdateWebhookDto,
  now: Date,
): Partial<WebhookEndpointEntity> {
  const isActive = body.is_active ?? endpoint.isActive;
  if (!isActive) {
    // An owner who switches off an endpoint that the service has disabled takes over that decision.
    // The worker looks once more, because what the owner asks for is sent all the same.
    return body.is_active === false ? { isActive, nextDueAt: now, disabledReason: null, disabledAt: null } : {};
  }
  if (!endpoint.isActive) {
    return freshState(now);
  }
  // Another URL starts with a clean record.
  const isMoved = body.url !== undefined && body.url !== endpoint.url;
  return isMoved ? { ...freshState(now), activeSince: endpoint.activeSince } : {};
}
