import { defineAudit } from '../../../common/audit/audit-definition';
import type { DomainEvent } from '../../../common/events/domain-events';
import type { Amount } from '../../../common/money/amount';

/** What was reckoned anew, as the audit log shows it. */
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

/** A request whose cost is another one now. */
export interface CostChange {
  /** Row of the ledger. */
  id: number;
  userId: number;
  apiKeyId: number | null;
  agentId: number;
  messageId: number | null;
  /** The user's plan and groups at admission; null: not known. */
  plan: string | null;
  groupIds: readonly number[] | null;
  /** When the request began. */
  askedAt: Date;
  /** When it was written into the ledger. */
  endedAt: Date;
  before: Amount | null;
  after: Amount | null;
}

/** For whoever keeps other sums of costs: it is told in the transaction of the change. */
export const COSTS_RECOMPUTED = 'costs.recomputed';

export function costsRecomputed(changes: readonly CostChange[]): DomainEvent<{ changes: readonly CostChange[] }> {
  return { type: COSTS_RECOMPUTED, userId: null, data: { changes }, isInternal: true };
}
