import type { AdminUserDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { texts } from '../../../app/i18n/languages';
import { Badge } from '../../../components/badge';

const t = texts('manage');

export const USER_TYPES = ['normal', 'admin', 'service'] as const;
export const MEMBERSHIPS = ['free', 'monthly', 'yearly'] as const;

const TONES = { active: 'success', banned: 'danger', suspended: 'danger', closed: 'warning' } as const;

export function StatusBadge({ status }: { status: AdminUserDto['status'] }): JSX.Element {
  return <Badge tone={TONES[status]}>{t(`user_${status}`)}</Badge>;
}

export function MembershipBadge({ user }: { user: AdminUserDto }): JSX.Element {
  return <Badge tone={user.membership_type === 'free' ? '' : 'accent'}>{t(`plan_${user.membership_type}`)}</Badge>;
}
