import type { DomainEvent } from '../../common/events/domain-events';
import type { QuotaKind } from './usage.errors';

export interface QuotaExceededEventData {
  user_id: number;
  quota: QuotaKind;
  limit: number;
  used: number;
  /** ISO 8601. */
  resets_at: string;
}

/** A message was refused because a quota is used up; at most once per user, quota and UTC day. */
export function quotaExceeded(data: QuotaExceededEventData): DomainEvent<QuotaExceededEventData> {
  return { type: 'quota.exceeded', userId: data.user_id, data };
}
