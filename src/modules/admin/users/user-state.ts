import type { AuditEntry } from '../audit/audit.service';

/** The fields that every log entry about an account has. */
export function userEntry(action: string, userId: number): AuditEntry {
  return { action, targetType: 'user', targetId: userId, subjectId: userId };
}
