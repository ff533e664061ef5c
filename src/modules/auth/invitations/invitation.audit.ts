import { defineAudit } from '../../../common/audit/audit-definition';
import type { InvitationEntity } from './invitation.entity';

/**
 * What the audit log shows of an invitation. The address is not in it: it is of somebody who has no account yet, so no erasure
 * would find it later.
 */
export const invitationAudit = defineAudit<InvitationEntity>({
  subject: 'invitation',
  state: ({ membershipType, expiresAt }) => ({
    membership_type: membershipType,
    expires_at: expiresAt.toISOString(),
  }),
  personal: [],
});
