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
 * Writes down what a provider has taken, and what was then left, before another model is asked: otherwise a crash after it would
 * lose it. Under a budget it is spent at once, so that what is held stays enough for the request that comes.
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

  /** @returns false: no other model may be asked. What was left is written down with the end of the reply then. */
  async keep(reply: RunningReply): Promise<boolean> {
    try {
      const left = await this.meter.ofLeft(reply);
      const costs = await this.ledger.price(left.map(({ spent }) => spent));
      left.forEach(({ request }, index) => (request.written = costs[index]));
      try {
        await this.write(reply, costs);
        await this.budget.markFallbacks(reply, this.clock.now());
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
   * The same for a round that a crash has cut, before its model is asked again: once, however often that is tried. What is held
   * for it ends.
   *
   * @param at when its model was asked
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
        // The answer to the COMMIT before may be lost.
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

  /** Locks the run. @returns false when nothing is asked any more. @throws RunLostError */
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

  /** None where nobody can say any more what the model was told: that must not keep the reply from going on. */
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

  /** Only the answer to the COMMIT may have been lost. */
  private async isWritten({ messageId, origin, attempts, round }: RunningReply): Promise<boolean> {
    const { manager } = this.database;
    const row = await findRow(manager, origin.place.entity, { id: messageId }, { members: ['trace'] }).catch(
      () => null,
    );
    return writtenIn(row?.trace ?? [], round) === writtenIn(attempts, round);
  }
}

/** Of the present round: of earlier ones some may not be kept any more. */
function writtenIn(attempts: readonly StoredAttempt[], present: number): number {
  return attempts.filter(({ cost, round = 1 }) => cost !== undefined && round === present).length;
}
