import { defineAudit } from '../../../common/audit/audit-definition';
import type { User } from './user.entity';

/** The audit log's view of an account: the fields that administrators control, and its identity. */
export const userAudit = defineAudit<User>({
  subject: 'user',
  state: (user) => ({
    username: user.username,
    email: user.email,
    user_type: user.userType,
    membership_type: user.membershipType,
    membership_expires_at: user.membershipExpiresAt?.toISOString() ?? null,
    status: user.suspendedAt === null ? user.status : 'suspended',
    ban_reason: user.banReason,
    banned_until: user.bannedUntil?.toISOString() ?? null,
    quota_messages: user.quotaMessagesOverride,
    quota_tokens: user.quotaTokensOverride,
    quota_storage: user.quotaStorageOverride,
    quota_embedding_tokens: user.quotaEmbeddingTokensOverride,
    local_login: user.localLogin,
    note: user.adminNote,
  }),
  personal: ['username', 'email', 'ban_reason', 'note'],
});
