import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { updateRows } from '../../../database/statements/update';
import { NoRoomLeft } from '../../budget/budget.api';
import { CostLedger, type PricedRequest, totalCost } from '../../usage/usage.api';
import { ToolRunStore } from '../acting/tool-run.store';
import { ReplyBudget } from '../paying/reply-budget';
import type { RunningReply } from '../reply/running-reply';
import type { StoredAttempt } from '../reply/stored-attempt';
import { CostMeter } from './cost-meter';

/**
 * Writes down what a provider has taken, and what was then left, before another model is asked: otherwise a crash after it would
 * lose it. Under a budget it is spent at once, so that what is held stays enough for the request that comes.
 */
@Injectable()
export class LeftAttempts {
  private readonly logger = new Logger(LeftAttempts.name);

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

  private async write(reply: RunningReply, costs: readonly PricedRequest[]): Promise<void> {
    if (costs.length === 0) {
      return;
    }
    await this.database.write(async (manager) => {
      if (reply.run !== null) {
        await this.runs.hold(manager, reply);
      }
      const { chatId, messageId, task, origin } = reply;
      const { userId, apiKeyId, agent } = task;
      const at = this.clock.now();
      const changes = { trace: reply.attempts, updatedAt: at };
      const running = "id = ? AND status = 'streaming'";
      if ((await updateRows(manager, origin.place.entity, changes, running, [messageId])) === 0) {
        throw new Error('The reply has ended.');
      }
      await this.ledger.record(manager, costs, { userId, apiKeyId, chatId, agentId: agent.id, messageId }, at);
      await this.budget.spendLeft(manager, reply, totalCost(costs));
    });
  }

  /** Only the answer to the COMMIT may have been lost. */
  private async isWritten({ messageId, origin, attempts }: RunningReply): Promise<boolean> {
    const { manager } = this.database;
    const row = await findRow(manager, origin.place.entity, { id: messageId }, { members: ['trace'] }).catch(
      () => null,
    );
    return writtenIn(row?.trace ?? []) === writtenIn(attempts);
  }
}

function writtenIn(attempts: readonly StoredAttempt[]): number {
  return attempts.filter(({ cost }) => cost !== undefined).length;
}
