import { defineAudit } from '../../../common/audit/audit-definition';
import type { InvitationEntity } from './invitation.entity';

export const invitationAudit = defineAudit<InvitationEntity>({
  subject: 'invitation',
  state: ({ email, membershipType, expiresAt }) => ({
    email,
    membership_type: membershipType,
    expires_at: expiresAt.toISOString(),
  }),
  personal: ['email'],
});
