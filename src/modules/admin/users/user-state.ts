import type { User } from '../../user/user.api';
import type { AuditEntry } from '../audit/audit.service';
import type { AuditState } from '../audit/audit-state';

/** What the log tells of an account: what administrators decide about it, and who it is. */
export function userState(user: User): AuditState {
  return {
    username: user.username,
    email: user.email,
    user_type: user.userType,
    membership_type: user.membershipType,
    membership_expires_at: user.membershipExpiresAt?.toISOString() ?? null,
    status: user.status,
    ban_reason: user.banReason,
    banned_until: user.bannedUntil?.toISOString() ?? null,
    quota_messages: user.quotaMessagesOverride,
    quota_tokens: user.quotaTokensOverride,
    note: user.adminNote,
  };
}

/** What every entry about an account has. */
export function userEntry(action: string, userId: number): AuditEntry {
  return { action, targetType: 'user', targetId: userId, subjectId: userId };
}

/** Those of the fields that tell who it is, or that speak about the person; they go with the account. */
export const PERSONAL_STATE = ['username', 'email', 'ban_reason', 'note'] as const;
