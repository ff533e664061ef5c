import { Injectable } from '@nestjs/common';
import type { Amount } from '../../../common/money/amount';
import { TokenBounds } from '../../../integrations/llm/counting/token-bounds';
import type { Agent } from '../../agent/agent.api';
import type { CheckLog } from '../../guard/guard.api';
import { ReplyBudget } from '../paying/reply-budget';
import { RequestEstimates } from '../paying/request-estimates';
import { startWithin } from '../paying/start-within';
import { plannedRelay } from '../relaying/planned-relay';
import type { RelayOrder } from '../relaying/relay-order';
import { NO_OPTIONS, type Sender } from '../reply/generation-task';
import type { StartedReply } from '../reply/running-reply';
import { Generations } from './generations.service';

/** A request that is relayed. */
export interface RelayedRequest {
  sender: Sender;
  /** The provider and model, and the agent that the request is charged to. */
  agent: Agent;
  order: RelayOrder;
  /** The texts of the prompt, which are counted for budgets with a hard limit. */
  texts: readonly string[];
  /** Tokens of the images and files of the prompt. */
  fileTokens: number;
  /** Whether the request continues the last turn with results of tools, and does not count as a message. */
  continuesTurn: boolean;
  /** The limit of the reply in the request, in tokens. */
  outputLimit: number;
  /** The checks of guards that have seen the input. Absent: no guard exists. */
  checks: CheckLog | undefined;
  /** The smallest limit to which a budget may lower it. */
  leastOutput: number;
}

/** A relayed reply, and the limit of its output that the budgets allow. */
export interface StartedRelay extends StartedReply {
  outputLimit: number;
}

/** Starts replies that are relayed byte for byte, with the same admission as all others. */
@Injectable()
export class Relays {
  constructor(
    private readonly generations: Generations,
    private readonly budget: ReplyBudget,
    private readonly estimates: RequestEstimates,
    private readonly bounds: TokenBounds,
  ) {}

  /**
   * If a hard budget has no room for the requested limit of the reply, it starts with the largest limit that fits.
   *
   * @throws QuotaExceededError, TooManyConcurrentError, BudgetExceededError, ModelNotPricedError,
   *   ServiceUnavailableError while the process shuts down
   */
  async start(request: RelayedRequest): Promise<StartedRelay> {
    const order = await this.counted(request);
    return startWithin(
      { most: request.outputLimit, least: request.leastOutput },
      (limit) => this.begin({ ...request, order }, limit),
      (limit) => this.costOf(request, limit),
    );
  }

  private begin({ sender, agent, order, continuesTurn, checks }: RelayedRequest, limit: number): Promise<StartedReply> {
    return this.generations.start({
      sender,
      agent,
      turns: [],
      options: { ...NO_OPTIONS, parameters: { max_tokens: limit } },
      repeatable: { userId: sender.userId, key: null, route: '', body: null },
      relay: order,
      continuesTurn,
      checks,
    });
  }

  /** Counting takes long, so it happens before the transaction. */
  private async counted({ order, texts, fileTokens }: RelayedRequest): Promise<RelayOrder> {
    if (await this.budget.holdsByCount(new Date())) {
      await this.bounds.count(texts);
      const countedTokens = texts.reduce((sum, text) => sum + this.bounds.of(text), fileTokens);
      order.size = { ...order.size, countedTokens };
    }
    return order;
  }

  private async costOf({ agent, order }: RelayedRequest, output: number): Promise<Amount> {
    return (await this.estimates.of([plannedRelay(agent, order, output)], new Date(), true)).most;
  }
}
