import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { formatAmount } from '../../../common/money/amount';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { updateRows } from '../../../database/statements/update';
import { NoRoomLeft } from '../../budget/budget.api';
import { CostLedger, type PricedRequest, totalCost } from '../../usage/usage.api';
import { retryWhileDatabaseIsAway } from '../acting/calling/retry-while-database-is-away';
import { ToolRunEntity } from '../acting/tool-run.entity';
import { ToolRunStore } from '../acting/tool-run.store';
import { ReplyBudget } from '../paying/reply-budget';
import type { RunningReply } from '../reply/running-reply';
import { MOST_ATTEMPTS, type StoredAttempt } from '../reply/stored-attempt';
import { CostMeter } from './cost-meter';

/**
 * Records requests that a provider accepted and that failed before another model is called, because a crash would lose
 * them otherwise. Budgets are charged at once, so that the hold stays sufficient for the next request.
 */
@Injectable()
export class AbandonedRequests {
  private readonly logger = new Logger(AbandonedRequests.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly meter: CostMeter,
    private readonly ledger: CostLedger,
    private readonly budget: ReplyBudget,
    private readonly runs: ToolRunStore,
  ) {}

  /** @returns false: no other model may be called. The end of the reply then records the abandoned request */
  async keep(reply: RunningReply): Promise<boolean> {
    try {
      const left = await this.meter.ofLeft(reply);
      const costs = await this.ledger.price(left.map(({ spent }) => spent));
      // Before the write: a failure after it would leave open whether the requests were recorded.
      await this.budget.markFallbacks(reply, this.clock.now());
      left.forEach(({ request }, index) => (request.written = costs[index]));
      try {
        await this.write(reply, costs);
      } catch (error) {
        if (error instanceof NoRoomLeft || !(await this.isWritten(reply))) {
          left.forEach(({ request }) => delete request.written);
          throw error;
        }
      }
      return true;
    } catch (error) {
      if (!(error instanceof NoRoomLeft)) {
        this.logger.warn({ message_id: reply.messageId, error }, 'A request that was left could not be written down.');
      }
      return false;
    }
  }

  /**
   * The same for a round that a crash cut off, before its model is called again. It is recorded once, even if it is
   * tried several times, and its hold ends.
   *
   * @param at when the model was called
   * @throws RunLostError
   */
  async keepCut(reply: RunningReply, at: Date): Promise<void> {
    const { messageId, round, fresh, billedOfRound } = reply;
    const costs = await this.costsOfCut(reply, at);
    const cost = totalCost(costs);
    const billed = {
      text: billedOfRound.text + fresh.text.length,
      reasoning: billedOfRound.reasoning + fresh.reasoning.length,
      calls: billedOfRound.calls + fresh.toolCalls.length,
    };
    const since = Math.max(0, at.getTime() - reply.task.startedAt.getTime());
    const cut = costs.map(({ provider, model }): StoredAttempt => ({
      provider,
      model,
      round,
      at: since,
      ms: 0,
      cut: true,
      billed,
      cost: formatAmount(cost),
    }));
    const trace = [...reply.earlierAttempts, ...cut].slice(-MOST_ATTEMPTS);
    await retryWhileDatabaseIsAway(() =>
      this.database.write(async (manager) => {
        // The previous COMMIT may have succeeded although its answer was lost.
        if (!(await this.endAsking(manager, reply))) {
          return;
        }
        if (costs.length > 0) {
          await this.record(manager, reply, trace, costs);
          await this.budget.settleCut(manager, reply, cost, at);
        } else {
          await this.budget.settleLost(manager, messageId);
        }
      }),
    );
    reply.earlierAttempts = trace;
  }

  /** Locks the run. @returns false when no request is open any more. @throws RunLostError */
  private async endAsking(manager: EntityManager, reply: RunningReply): Promise<boolean> {
    const ended = { askedAt: null, updatedAt: this.clock.now() };
    const isAsking = 'message_id = ? AND epoch = ? AND asked_at IS NOT NULL';
    const run = [reply.messageId, reply.run?.epoch ?? 0];
    if ((await updateRows(manager, ToolRunEntity, ended, isAsking, run)) > 0) {
      return true;
    }
    await this.runs.hold(manager, reply);
    return false;
  }

  /** Empty when the prompt can no longer be determined, because that must not prevent the reply from continuing. */
  private async costsOfCut(reply: RunningReply, at: Date): Promise<PricedRequest[]> {
    try {
      return await retryWhileDatabaseIsAway(async () => this.ledger.price([await this.meter.ofCut(reply, at)]));
    } catch (error) {
      this.logger.warn({ message_id: reply.messageId, error }, 'What a crash has cut could not be counted.');
      return [];
    }
  }

  private async write(reply: RunningReply, costs: readonly PricedRequest[]): Promise<void> {
    if (costs.length > 0) {
      await this.database.write(async (manager) => {
        if (reply.run !== null) {
          await this.runs.hold(manager, reply);
        }
        await this.record(manager, reply, reply.attempts, costs);
        await this.budget.spendLeft(manager, reply, totalCost(costs));
      });
    }
  }

  private async record(
    manager: EntityManager,
    reply: RunningReply,
    trace: StoredAttempt[],
    costs: readonly PricedRequest[],
  ): Promise<void> {
    const { messageId, origin } = reply;
    const at = this.clock.now();
    const running = "id = ? AND status = 'streaming'";
    if ((await updateRows(manager, origin.place.entity, { trace, updatedAt: at }, running, [messageId])) === 0) {
      throw new Error('The reply has ended.');
    }
    await this.ledger.record(manager, costs, reply.spentFor, at);
  }

  /** Whether the write succeeded: possibly only the answer to the COMMIT was lost. */
  private async isWritten({ messageId, origin, attempts, round }: RunningReply): Promise<boolean> {
    const { manager } = this.database;
    const row = await findRow(manager, origin.place.entity, { id: messageId }, { members: ['trace'] }).catch(
      () => null,
    );
    return writtenIn(row?.trace ?? [], round) === writtenIn(attempts, round);
  }
}

/** Counts only the current round, because earlier requests may no longer be stored. */
function writtenIn(attempts: readonly StoredAttempt[], present: number): number {
  return attempts.filter(({ cost, round = 1 }) => cost !== undefined && round === present).length;
}
