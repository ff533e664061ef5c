import { defineAudit } from '../../../common/audit/audit-definition';
import type { DomainEvent } from '../../../common/events/domain-events';
import type { Amount } from '../../../common/money/amount';

/** A recalculation, as the audit log shows it. */
export interface Recomputed {
  from: string;
  to: string;
  rows: number;
  before: string | null;
  after: string | null;
}

export const recomputeAudit = defineAudit<Recomputed>({
  subject: 'price_recompute',
  state: ({ from, to, rows, before, after }) => ({ from, to, rows, before, after }),
  personal: [],
});

/** A request whose cost has changed. */
export interface CostChange {
  /** Id of the ledger row. */
  id: number;
  userId: number;
  apiKeyId: number | null;
  agentId: number;
  messageId: number | null;
  /** The user's plan and groups at admission. Null if unknown. */
  plan: string | null;
  groupIds: readonly number[] | null;
  /** When the request started. */
  askedAt: Date;
  /** When the row was written to the ledger. */
  endedAt: Date;
  before: Amount | null;
  after: Amount | null;
}

/** For modules that keep other sums of costs. It is published in the transaction of the change. */
export const COSTS_RECOMPUTED = 'costs.recomputed';

export function costsRecomputed(changes: readonly CostChange[]): DomainEvent<{ changes: readonly CostChange[] }> {
  return { type: COSTS_RECOMPUTED, userId: null, data: { changes }, isInternal: true };
}
