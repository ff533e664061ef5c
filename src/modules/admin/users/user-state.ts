import type { AuditEntry } from '../audit/audit.service';

/** What every entry about an account has. */
export function userEntry(action: string, userId: number): AuditEntry {
  return { action, targetType: 'user', targetId: userId, subjectId: userId };
}
