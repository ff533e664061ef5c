import { defineAudit } from '../../common/audit/audit-definition';
import { defineEvent } from '../../common/events/event-definition';
import type { FieldSchema, Schema } from '../../common/events/event-fields';
import { fact, integer } from '../../common/events/event-fields';
import type { RetentionPolicyEntity } from './policies/retention-policy.entity';
import { DELETED_COUNTS, type DeletedCounts } from './sweeping/deleted-counts';

const counts = Object.fromEntries(
  DELETED_COUNTS.map((name) => [name, { type: 'integer', description: `Deleted: ${name.replace('_', ' ')}.` }]),
) as Record<string, FieldSchema>;

const deleted: Schema<DeletedCounts> = { type: 'object', description: 'What it deleted.', properties: counts };

/** A sweep has deleted data. */
export const retentionSwept = defineEvent('retention.swept', {
  description: 'A retention sweep deleted data, or an administrator started it.',
  fields: { sweep_id: fact(integer('Id of the sweep.')), deleted: fact(deleted) },
  example: {
    sweep_id: 41,
    deleted: {
      chats: 12,
      messages: 96,
      files: 2,
      bytes: 48_213,
      events: 0,
      failed_replies: 3,
      traces: 0,
      ledger: 0,
      audit: 0,
    },
  },
});

/** A sweep, as the audit log shows it. */
interface SweptData {
  trigger: string;
  status: string;
  deleted: object;
  held: object;
  policies: readonly number[];
}

/** How the audit log shows policies. Sweeps are logged by `sweepAudit`. */
export const retentionAudit = defineAudit<RetentionPolicyEntity>({
  subject: 'retention',
  state: ({ scope, scopeId, kind, days, effectiveAt, note }) => ({
    scope,
    scope_id: scopeId,
    kind,
    days,
    effective_at: effectiveAt.toISOString(),
    note,
  }),
  personal: ['note'],
});

/** How the audit log shows sweeps: with counts, without titles and names. */
export const sweepAudit = defineAudit<SweptData>({
  subject: 'retention',
  state: ({ trigger, status, deleted: counted, held, policies }) => ({
    trigger,
    status,
    deleted: counted,
    held,
    policies,
  }),
  personal: [],
  isAlwaysLogged: true,
});
