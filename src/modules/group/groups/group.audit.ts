import { defineAudit } from '../../../common/audit/audit-definition';
import type { Group, GroupManager } from './group.entity';

/** What the audit log shows of a group. */
export const groupAudit = defineAudit<Group>({
  subject: 'group',
  state: ({ name, description, managedBy, externalId }) => ({
    name,
    description,
    managed_by: managedBy,
    external_id: externalId,
  }),
  // A group belongs to nobody.
  personal: [],
});

/** What the audit log shows of a membership; the target is the group. */
export const groupMemberAudit = defineAudit<{ userId: number; source: GroupManager }>({
  subject: 'group_member',
  state: ({ userId, source }) => ({ user_id: userId, source }),
  personal: [],
});
