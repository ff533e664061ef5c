import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { updateRows } from '../../../database/statements/update';
import { NoRoomLeft } from '../../budget/budget.api';
import { CostLedger, type PricedRequest, totalCost } from '../../usage/usage.api';
import { ReplyBudget } from '../paying/reply-budget';
import { ReplyLostError } from '../reply/reply-rounds';
import type { RunningReply } from '../reply/running-reply';
import type { StoredRequest } from '../reply/stored-request';
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
  ) {}

  /** @returns false: no other model may be called. The end of the reply then records the abandoned request */
  async keep(reply: RunningReply): Promise<boolean> {
    try {
      const abandoned = await this.meter.ofAbandoned(reply);
      const costs = await this.ledger.price(abandoned.map(({ spent }) => spent));
      // Before the write: a failure after it would leave open whether the requests were recorded.
      await this.budget.markFallbacks(reply, this.clock.now());
      abandoned.forEach(({ request }, index) => (request.written = costs[index]));
      try {
        await this.write(reply, costs);
      } catch (error) {
        if (error instanceof NoRoomLeft || !(await this.isWritten(reply))) {
          abandoned.forEach(({ request }) => delete request.written);
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

  private async write(reply: RunningReply, costs: readonly PricedRequest[]): Promise<void> {
    if (costs.length > 0) {
      await this.database.write(async (manager) => {
        if (!(await reply.driver.holds(manager, reply))) {
          throw new ReplyLostError(reply.messageId);
        }
        await this.record(manager, reply, reply.storedRequests, costs);
        await this.budget.spendLeft(manager, reply, totalCost(costs));
      });
    }
  }

  /**
   * Within `Database.write`: records requests of a running reply.
   *
   * @param trace all requests of the reply
   */
  async record(
    manager: EntityManager,
    reply: RunningReply,
    trace: StoredRequest[],
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
  private async isWritten({ messageId, origin, storedRequests, round }: RunningReply): Promise<boolean> {
    const { manager } = this.database;
    const row = await findRow(manager, origin.place.entity, { id: messageId }, { members: ['trace'] }).catch(
      () => null,
    );
    return writtenIn(row?.trace ?? [], round) === writtenIn(storedRequests, round);
  }
}

/** Counts only the current round, because earlier requests may no longer be stored. */
function writtenIn(storedRequests: readonly StoredRequest[], present: number): number {
  return storedRequests.filter(({ cost, round = 1 }) => cost !== undefined && round === present).length;
}
