import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { tokenUsage } from '../../../common/token-usage';
import { Database } from '../../../database/database';
import { TokenCounter } from '../../../integrations/llm/counting/token-counter';
import { toReplyUsage } from '../../../integrations/llm/port/reply-usage';
import { SideModels, type SideRequests } from '../../../integrations/llm/side-requests';
import { CostLedger, type SpentRequest, toPricedUsage, totalCost } from './cost-ledger';

type Counted = Pick<SpentRequest, 'usage' | 'isEstimated'>;

/** Writes down what titles and trials cost. They count as messages and tokens for nobody. */
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
    if (spent.length > 0 || side.settle !== null) {
      const costs = await this.ledger.price(spent);
      await this.database.write(async (manager) => {
        if (costs.length > 0) {
          await this.ledger.record(manager, costs, side.cause, this.clock.now());
        }
        await side.settle?.(manager, totalCost(costs));
      });
    }
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
