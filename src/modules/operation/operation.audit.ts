import { defineAudit } from '../../common/audit/audit-definition';

/** A support bundle that an administrator made. */
export const supportBundleAudit = defineAudit<{ hours: number }>({
  subject: 'support_bundle',
  state: ({ hours }) => ({ hours }),
  personal: [],
});
