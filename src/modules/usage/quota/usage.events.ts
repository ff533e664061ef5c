import type { DomainEvent } from '../../../common/events/domain-events';
import { type DataOf, defineEvent } from '../../../common/events/event-definition';
import { choice, fact, instant, integer } from '../../../common/events/event-fields';

const fields = {
  user_id: fact(integer('Id of the user.')),
  quota: fact(choice(['messages', 'tokens'], 'The limit that was reached.')),
  limit: fact(integer('The amount that is allowed.')),
  used: fact(integer('Amount used today.')),
  resets_at: fact(instant('When the limit resets.')),
};

export type QuotaExceededEventData = DataOf<typeof fields>;

const definition = defineEvent('quota.exceeded', {
  description: 'A user reached a daily limit of the plan; sent once per day and limit.',
  fields,
  example: { user_id: 7, quota: 'messages', limit: 50, used: 50, resets_at: '2026-02-01T00:00:00.000Z' },
});

export const USAGE_EVENTS = [definition];

/** A message was refused because a quota is used up. Published at most once per user, quota and UTC day. */
export function quotaExceeded(data: QuotaExceededEventData): DomainEvent<QuotaExceededEventData> {
  return definition(data.user_id, data);
}
