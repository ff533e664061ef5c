import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { formatAmount } from '../../../common/money/amount';
import { Database } from '../../../database/database';
import { updateRows } from '../../../database/statements/update';
import { CostLedger, type PricedRequest, totalCost } from '../../usage/usage.api';
import { AbandonedRequests } from '../ending/abandoned-requests';
import { CostMeter } from '../ending/cost-meter';
import { ReplyBudget } from '../paying/reply-budget';
import { retryWhileDatabaseIsAway } from '../reply/reply-failure';
import type { RunningReply } from '../reply/running-reply';
import { MOST_REQUESTS, type StoredRequest } from '../reply/stored-request';
import { ReplyRoundsEntity } from './reply-rounds.entity';
import { RoundStore } from './round.store';

/** Records what providers charge for rounds that a crash cut off. */
@Injectable()
export class CutRounds {
  private readonly logger = new Logger(CutRounds.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly meter: CostMeter,
    private readonly ledger: CostLedger,
    private readonly budget: ReplyBudget,
    private readonly rounds: RoundStore,
    private readonly abandoned: AbandonedRequests,
  ) {}

  /**
   * Records the request of a round that a crash cut off, before its model is called again. It is recorded once, even if
   * it is tried several times, and its hold ends.
   *
   * @param at when the model was called
   * @throws ReplyLostError
   */
  async record(reply: RunningReply, at: Date): Promise<void> {
    const { messageId, round, fresh, billedOfRound } = reply;
    const costs = await this.costsOfCut(reply, at);
    const cost = totalCost(costs);
    const billed = {
      text: billedOfRound.text + fresh.text.length,
      reasoning: billedOfRound.reasoning + fresh.reasoning.length,
      calls: billedOfRound.calls + fresh.toolCalls.length,
    };
    const since = Math.max(0, at.getTime() - reply.task.startedAt.getTime());
    const cut = costs.map(({ provider, model }): StoredRequest => ({
      provider,
      model,
      round,
      at: since,
      ms: 0,
      cut: true,
      billed,
      cost: formatAmount(cost),
    }));
    const trace = [...reply.earlierRequests, ...cut].slice(-MOST_REQUESTS);
    await retryWhileDatabaseIsAway(() =>
      this.database.write(async (manager) => {
        // The previous COMMIT may have succeeded although its answer was lost.
        if (!(await this.endRequest(manager, reply))) {
          return;
        }
        if (costs.length > 0) {
          await this.abandoned.record(manager, reply, trace, costs);
          await this.budget.settleCut(manager, reply, cost, at);
        } else {
          await this.budget.settleLost(manager, messageId);
        }
      }),
    );
    reply.earlierRequests = trace;
  }

  /** Locks the reply. @returns false when no request is open any more. @throws ReplyLostError */
  private async endRequest(manager: EntityManager, reply: RunningReply): Promise<boolean> {
    const ended = { askedAt: null, updatedAt: this.clock.now() };
    const isAsking = 'message_id = ? AND epoch = ? AND asked_at IS NOT NULL';
    const rounds = [reply.messageId, reply.rounds?.epoch ?? 0];
    if ((await updateRows(manager, ReplyRoundsEntity, ended, isAsking, rounds)) > 0) {
      return true;
    }
    await this.rounds.hold(manager, reply);
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
}
