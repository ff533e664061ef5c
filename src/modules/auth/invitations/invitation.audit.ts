import { defineAudit } from '../../../common/audit/audit-definition';
import type { InvitationEntity } from './invitation.entity';

/**
 * The audit log's view of an invitation. It omits the address, because the recipient has no account yet and no erasure
 * would find it later.
 */
export const invitationAudit = defineAudit<InvitationEntity>({
  subject: 'invitation',
  state: ({ membershipType, groupIds, expiresAt }) => ({
    membership_type: membershipType,
    group_ids: groupIds ?? [],
    expires_at: expiresAt.toISOString(),
  }),
  personal: [],
});
