import { defineAudit } from '../../../common/audit/audit-definition';
import type { Group, GroupManager } from './group.entity';

/** The audit log's state of a group. */
export const groupAudit = defineAudit<Group>({
  subject: 'group',
  state: ({ name, description, managedBy, externalId }) => ({
    name,
    description,
    managed_by: managedBy,
    external_id: externalId,
  }),
  // Groups contain no personal data.
  personal: [],
});

/** The audit log's state of a membership; the target is the group. */
export const groupMemberAudit = defineAudit<{ userId: number; source: GroupManager }>({
  subject: 'group_member',
  state: ({ userId, source }) => ({ user_id: userId, source }),
  personal: [],
});
