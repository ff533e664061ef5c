import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import type { Amount } from '../../../common/money/amount';
import { tokenUsage } from '../../../common/token-usage';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRow } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { TokenCounter } from '../../../integrations/llm/counting/token-counter';
import { toReplyUsage } from '../../../integrations/llm/port/reply-usage';
import { SideModels, type SideRequests } from '../../../integrations/llm/side-requests';
import { CostLedger, type SpentRequest, toPricedUsage, totalCost } from './cost-ledger';
import { SideRequestEntity } from './side-request.entity';

type Counted = Pick<SpentRequest, 'usage' | 'isEstimated'>;

/** A title or trial whose instance died. */
export interface LeftSide {
  /** The reply; 0: none. */
  messageId: number;
  /** What is held for it in budgets has this name. */
  holdName: string;
  /** Null: unknown, because the model has no price. */
  cost: Amount | null;
}

/** Writes down what titles and trials cost, after a crash too. They count as messages and tokens for nobody. */
@Injectable()
export class SideCosts {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly counter: TokenCounter,
    private readonly ledger: CostLedger,
    models: SideModels,
  ) {
    models.onAsked((asked) => this.record(asked));
  }

  private async record(side: SideRequests): Promise<void> {
    const spent: SpentRequest[] = [];
    for (const [index, { asked, at }] of side.requests.entries()) {
      const { provider, model, answered } = asked;
      const isAnswer = side.completion !== null && index === side.requests.length - 1;
      if (asked.isTaken) {
        spent.push({
          kind: side.cause.kind,
          round: 1,
          attempt: index + 1,
          provider,
          model,
          modelAnswered: answered,
          ...(await this.count(side, index, isAnswer)),
          isCounted: false,
          isFailed: false,
          askedAt: at,
        });
      }
    }
    const costs = await this.ledger.price(spent);
    await this.database.write(async (manager) => {
      if (await this.end(manager, side.openId)) {
        await this.ledger.record(manager, costs, side.cause, this.clock.now());
      }
      await side.settle?.(manager, totalCost(costs));
    });
  }

  /** Stores that a request is about to be made, within `Database.write`. @returns its id */
  begin(manager: EntityManager, request: Omit<SideRequestEntity, 'id'>): Promise<number> {
    return insertRow(manager, SideRequestEntity, request);
  }

  /** Writes down the prompt of a request whose instance died, within `Database.write`. @returns null: it is written down */
  async recordLeft(manager: EntityManager, id: number): Promise<LeftSide | null> {
    const left = await findRow(manager, SideRequestEntity, { id });
    if (left === null || !(await this.end(manager, id))) {
      return null;
    }
    const { kind, provider, model, promptTokens, askedAt, messageId, holdName } = left;
    const usage = toPricedUsage({ ...tokenUsage(promptTokens, 0), cached: 0, reasoning: 0 }, 0);
    const facts = { kind, provider, model, modelAnswered: null, round: 1, attempt: 1, askedAt };
    const costs = await this.ledger.price([{ ...facts, usage, isEstimated: true, isCounted: false, isFailed: false }]);
    await this.ledger.record(manager, costs, left, this.clock.now());
    return { messageId: messageId ?? 0, holdName, cost: totalCost(costs) };
  }

  /** False: another instance took this one for dead, and has written it down. */
  private async end(manager: EntityManager, id: number): Promise<boolean> {
    return (await deleteRows(manager, SideRequestEntity, { id })) > 0;
  }

  /** What the provider told; else the prompt and, of the request that was answered, the answer as they are counted here. */
  private async count(
    { requests, messages, completion }: SideRequests,
    index: number,
    isAnswer: boolean,
  ): Promise<Counted> {
    const { usage: told = null, images = 0 } = requests[index]?.asked ?? {};
    const usage = isAnswer ? (completion?.usage ?? told) : told;
    if (usage !== null) {
      return {
        usage: toPricedUsage(toReplyUsage(usage), images),
        isEstimated: !isAnswer || completion?.usage === null,
      };
    }
    const [prompt, answer] = await Promise.all([
      this.counter.countConversation([...messages]),
      isAnswer ? this.counter.count(completion?.text ?? '') : 0,
    ]);
    return {
      usage: toPricedUsage({ ...tokenUsage(prompt, answer), cached: 0, reasoning: 0 }, images),
      isEstimated: true,
    };
  }
}
