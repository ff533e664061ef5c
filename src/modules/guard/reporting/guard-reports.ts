import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Attention } from '../../../common/attention/attention';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { counter, histogram } from '../../../common/metrics/metrics';
import { type Amount, formatAmount } from '../../../common/money/amount';
import { Database } from '../../../database/database';
import { BudgetSettlement } from '../../budget/budget.api';
import { CostLedger, type PricedRequest } from '../../usage/usage.api';
import { GuardCaller, type GuardFinding } from '../calling/guard-caller';
import type { GuardCheck, GuardScope } from '../checking/guard-check';
import { guardBlocked, type GuardEventData, guardFailing, guardReported } from '../guard.events';
import type { GuardStage } from '../guards/guard.entity';
import { type Guard, GuardStore } from '../guards/guard.store';

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** A guard's usage is its cost: it reads no tokens that the service counts. */
const NO_TOKENS = {
  ...{ prompt: 0, completion: 0, cached: 0, cacheWrite: 0, cacheWrite1h: 0 },
  ...{ reasoning: 0, images: 0, webSearches: 0, requests: 1 },
};

/** A check that has ended. */
export interface EndedCheck {
  guard: Guard;
  stage: GuardStage;
  scope: GuardScope;
  finding: GuardFinding;
  action: GuardCheck['action'];
  types: Record<string, number>;
}

/** Records checks: in metrics, in the trace of the reply, in the cost ledger, and as events for administrators. */
@Injectable()
export class GuardReports {
  private readonly logger = new Logger(GuardReports.name);
  private readonly checks = counter('guard_checks_total', 'Texts that a guard checked', ['guard', 'stage', 'action']);
  private readonly errors = counter('guard_errors_total', 'Texts that a guard could not check', ['guard']);
  private readonly seconds = histogram('guard_seconds', 'Duration of a check', BUCKETS, ['guard', 'stage']);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly store: GuardStore,
    private readonly caller: GuardCaller,
    private readonly ledger: CostLedger,
    private readonly settlement: BudgetSettlement,
    private readonly events: DomainEvents,
    attention: Attention,
  ) {
    attention.add(() =>
      this.store.all.flatMap(({ name, isActive, failingSince }) =>
        isActive && failingSince !== null
          ? [{ kind: 'guard_failing' as const, since: failingSince, count: 1, target: name }]
          : [],
      ),
    );
  }

  /** A failure to store it is logged, because it must not decide about the text. */
  async record(check: EndedCheck): Promise<void> {
    const { guard, stage, scope, finding, action, types } = check;
    const { cost, error, durationMs } = finding;
    this.checks.inc({ guard: guard.name, stage, action: error === null ? action : 'error' });
    this.seconds.observe({ guard: guard.name, stage }, durationMs / 1_000);
    if (error !== null) {
      this.errors.inc({ guard: guard.name });
      this.logger.warn({ guard_id: guard.id, guard: guard.name, stage, reason: error }, 'A guard could not decide.');
    }
    const shown = { name: guard.name, stage, action, types, duration_ms: durationMs, error, cost: formatAmount(cost) };
    scope.record?.(shown);
    try {
      await this.storeFacts(check);
    } catch (failure) {
      this.logger.error({ error: failure, guard_id: guard.id }, 'The cost or the event of a guard is not stored.');
    }
  }

  private async storeFacts(check: EndedCheck): Promise<void> {
    const { guard, scope, finding, action, types } = check;
    const isFound = Object.keys(types).length > 0 || finding.action !== 'allow';
    // A text that is refused during an outage was not found bad. `guard.failing` reports the outage, once.
    const isBlocked = action === 'block' && finding.error === null;
    const event = isBlocked ? guardBlocked : action === 'report' && isFound ? guardReported : null;
    const cost = finding.cost ?? 0n;
    const outage = this.outageOf(guard, finding);
    if (event === null && cost === 0n && outage === undefined) {
      return;
    }
    await this.database.write(async (manager) => {
      if (cost > 0n) {
        await this.charge(manager, guard, scope, cost);
      }
      if (event !== null) {
        await this.events.publish(manager, event(null, dataOf(check)));
      }
      if (outage !== undefined && (await this.store.noteOutage(manager, guard.id, outage)) && outage !== null) {
        await this.events.publish(manager, guardFailing(null, { ...dataOf(check), types: {} }));
      }
    });
    if (outage !== undefined) {
      await this.store.announce();
    }
  }

  /** When an outage began that is not stored yet; null if one ended; undefined if nothing changed. */
  private outageOf(guard: Guard, { error }: GuardFinding): Date | null | undefined {
    const { failingSince = null } = this.store.all.find(({ id }) => id === guard.id) ?? {};
    if (this.caller.isPaused(guard)) {
      return failingSince === null ? this.clock.now() : undefined;
    }
    // Another instance, or this one before a restart, may have stored it. A failed check does not end it.
    return failingSince !== null && error === null ? null : undefined;
  }

  private async charge(manager: EntityManager, { name }: Guard, scope: GuardScope, cost: Amount): Promise<void> {
    const at = this.clock.now();
    const { userId, apiKeyId, chatId, messageId, agent, charged } = scope;
    const agentId = agent?.id ?? 0;
    const request: PricedRequest = {
      ...{ kind: 'guard', round: 1, attempt: 1, provider: 'guard', model: name, modelAnswered: null },
      ...{ usage: NO_TOKENS, isEstimated: false, isCounted: false, isFailed: false, askedAt: at, priceId: null, cost },
    };
    await this.ledger.record(
      manager,
      [request],
      { userId, apiKeyId, chatId: chatId ?? 0, agentId, messageId, charged },
      at,
    );
    await this.settlement.chargeUnheld(manager, cost, { payer: { userId, apiKeyId, agentId, ...charged }, at });
  }
}

function dataOf({ guard, stage, scope, types }: EndedCheck): GuardEventData {
  return {
    guard_id: guard.id,
    name: guard.name,
    stage,
    types,
    chat_id: scope.chatId,
    message_id: scope.messageId,
  };
}
