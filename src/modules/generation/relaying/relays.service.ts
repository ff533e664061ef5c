import { Injectable } from '@nestjs/common';
import { type Amount, parseDecimal } from '../../../common/money/amount';
import { BudgetExceededError } from '../../../common/money/spending.errors';
import { TokenBounds } from '../../../integrations/llm/counting/token-bounds';
import type { Agent } from '../../agent/agent.api';
import { ReplyBudget } from '../paying/reply-budget';
import { RequestEstimates } from '../paying/request-estimates';
import { NO_OPTIONS, type Sender } from '../reply/generation-task';
import type { StartedReply } from '../reply/running-reply';
import { Generations } from '../stateless/generations.service';
import { plannedRelay } from './planned-relay';
import type { RelayOrder } from './relay-order';

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
  isContinuation: boolean;
  /** The limit of the reply in the request, in tokens. */
  outputLimit: number;
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
    for (let outputLimit = request.outputLimit; ;) {
      try {
        return { ...(await this.begin({ ...request, order }, outputLimit)), outputLimit };
      } catch (error) {
        const lower = error instanceof BudgetExceededError ? await this.fitting(request, outputLimit, error) : null;
        if (lower === null) {
          throw error;
        }
        outputLimit = lower;
      }
    }
  }

  private begin({ sender, agent, order, isContinuation }: RelayedRequest, limit: number): Promise<StartedReply> {
    return this.generations.start({
      sender,
      agent,
      turns: [],
      options: { ...NO_OPTIONS, parameters: { max_tokens: limit } },
      repeatable: { userId: sender.userId, key: null, route: '', body: null },
      relay: order,
      isContinuation,
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

  /** The largest limit below this one whose cost the refusing budget can cover. Null: there is none. */
  private async fitting(
    request: RelayedRequest,
    limit: number,
    { details }: BudgetExceededError,
  ): Promise<number | null> {
    const [whole = 0n, spent = 0n, reserved = 0n] = ['limit', 'spent', 'reserved'].map(
      (name) => parseDecimal(String(details[name])) ?? 0n,
    );
    const room = whole - spent - reserved;
    let [low, high] = [request.leastOutput, limit - 1];
    if (high < low || (await this.costOf(request, low)) > room) {
      return null;
    }
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      [low, high] = (await this.costOf(request, middle)) <= room ? [middle, high] : [low, middle - 1];
    }
    return low;
  }

  private async costOf({ agent, order }: RelayedRequest, output: number): Promise<Amount> {
    return (await this.estimates.of([plannedRelay(agent, order, output)], new Date(), true)).most;
  }
}
