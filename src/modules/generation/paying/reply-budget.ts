import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Amount } from '../../../common/money/amount';
import { estimatePrompt } from '../../../integrations/llm/counting/prompt-estimate';
import type { CostBound } from '../../../integrations/llm/port/completion';
import type { ModelMessage } from '../../../integrations/llm/port/language-model-provider';
import {
  BudgetAdmission,
  BudgetConfig,
  BudgetSettlement,
  type ChargedRequest,
  type Hold,
  type HoldKey,
  type SettledCost,
} from '../../budget/budget.api';
import { ReplyCompactor } from '../prompt/compaction/reply-compactor';
import { PromptBuilder } from '../prompt/prompt-builder';
import type { GenerationTask } from '../reply/generation-task';
import type { HeldForReply } from '../reply/held-for-reply';
import type { RunningReply } from '../reply/running-reply';
import { modelParameters, outputLimitOf } from '../running/generation-request';
import { ReplyRegistry } from '../running/reply-registry';
import { type PlannedRequest, RequestEstimates } from './request-estimates';

/** What a model is told of a conversation, without what its agent adds. */
export interface ToldSize {
  /** Estimated, with what the chat format adds to each message. */
  tokens: number;
  images: number;
}

/**
 * Holds what a reply may cost at most, in the budgets that apply. Prompts are estimated rather too high, and the reserved output
 * is the limit that the model is told, so that no reply costs more than is held for it, but where a provider bills more than it
 * says. Methods with a manager run within `Database.write`.
 */
@Injectable()
export class ReplyBudget {
  constructor(
    private readonly admission: BudgetAdmission,
    private readonly settlement: BudgetSettlement,
    private readonly estimates: RequestEstimates,
    private readonly prompt: PromptBuilder,
    private readonly compactor: ReplyCompactor,
    private readonly registry: ReplyRegistry,
    private readonly config: BudgetConfig,
  ) {}

  /** Around the transaction in which a reply begins. @throws BudgetExceededError */
  run<Result>(begin: () => Promise<Result>): Promise<Result> {
    return this.admission.run(begin);
  }

  /**
   * Call it last: whoever shares a budget waits from here to the commit.
   *
   * @param told asked for only when a budget applies, with the tokens that a prompt may have
   * @returns null when no budget applies
   * @throws ModelNotPricedError, and what `told` throws
   */
  async hold(
    manager: EntityManager,
    task: GenerationTask,
    messageId: number,
    told: (room: number) => Promise<ToldSize>,
  ): Promise<HeldForReply | null> {
    const { userId, apiKeyId, agent, startedAt: at } = task;
    let bound: CostBound | null = null;
    const hold = await this.admission.admit(manager, {
      messageId,
      name: 'reply',
      payer: { userId, apiKeyId, agentId: agent.id },
      at,
      ownerId: this.registry.ownerId,
      estimate: async (isHard) => {
        const planned = await this.estimates.of(this.planned(task, await told(this.prompt.roomOf(task))), at, isHard);
        bound = planned.bound;
        return planned;
      },
    });
    return hold && { bound, outputLimit: limited(bound) ? this.outputLimit(task) : null, hold };
  }

  /**
   * The same for a further round of a reply.
   *
   * @param messages what the model will be told
   */
  holdRound(
    manager: EntityManager,
    task: GenerationTask,
    messageId: number,
    messages: readonly ModelMessage[],
  ): Promise<HeldForReply | null> {
    const images = messages.flatMap(({ parts }) => parts ?? []).filter(({ type }) => type === 'image').length;
    return this.hold(manager, task, messageId, () => Promise.resolve({ tokens: estimatePrompt(messages), images }));
  }

  /** Ends what a dead instance held for a round of which nobody knows what it has cost. */
  async settleLost(manager: EntityManager, messageId: number): Promise<void> {
    await this.settlement.settle(manager, { messageId, name: 'reply' }, { cost: null, isUncertain: true });
  }

  /** Ends what a dead instance held for a round, and spends what that has cost, after the ledger. @param at its admission */
  async settleCut(
    manager: EntityManager,
    { messageId, task }: RunningReply,
    cost: Amount | null,
    at: Date,
  ): Promise<void> {
    const { userId, apiKeyId, agent } = task;
    const charged = { payer: { userId, apiKeyId, agentId: agent.id }, at };
    await this.settlement.charge(manager, { messageId, name: 'reply' }, { cost, isUncertain: false }, charged);
  }

  /** Gives back what is held for a round whose model was not asked. */
  async giveBack(manager: EntityManager, messageId: number): Promise<void> {
    await this.settlement.settle(manager, { messageId, name: 'reply' }, { cost: 0n, isUncertain: false });
  }

  /** After the ledger. Where no budget applied when the reply began, nothing is asked of the database. */
  settle(manager: EntityManager, reply: RunningReply, cost: SettledCost): Promise<void> {
    return this.settlement.charge(manager, holdOf(reply), cost, requestOf(reply));
  }

  /**
   * Spends what was left for another request, and holds as much as before for that one. What was left is in the ledger.
   *
   * @throws NoRoomLeft when a budget has no room for both
   */
  async spendLeft(manager: EntityManager, reply: RunningReply, cost: Amount | null): Promise<void> {
    await this.settlement.spendBeside(manager, reply.held?.hold ?? null, cost ?? 0n, requestOf(reply));
  }

  /** The same where the ledger has nothing of it from here. */
  async settleUnwritten(manager: EntityManager, reply: RunningReply, cost: SettledCost): Promise<void> {
    const hold = holdOf(reply);
    if (hold !== null) {
      await this.settlement.settle(manager, hold, cost);
    }
  }

  /** The requests that the reply may take: a summary of its conversation, and itself. */
  private planned(task: GenerationTask, { tokens, images }: ToldSize): PlannedRequest[] {
    const { agent, options } = task;
    const prompt = this.prompt.mostTokens(task, tokens);
    const reply = { models: agent, prompt, images, output: this.outputLimit(task) };
    const wish = options?.compaction;
    if (wish === undefined) {
      return [reply];
    }
    const summary = this.compactor.planned(task, tokens);
    return wish === 'only' ? [summary] : tokens < wish ? [reply] : [reply, summary];
  }

  private outputLimit({ agent, options }: GenerationTask): number {
    return outputLimitOf(modelParameters(agent, options)) ?? this.config.BUDGET_ASSUMED_OUTPUT;
  }
}

/** What was held for the reply of a dead instance, nobody knows here; null: nothing was held. */
function holdOf({ begun, held, messageId }: RunningReply): Hold | HoldKey | null {
  return held?.hold ?? (begun === null ? { messageId, name: 'reply' } : null);
}

/** Of a later round without a hold, nobody knows its admission, which was right before it was asked for. */
function requestOf({ task, held, run, requests }: RunningReply): ChargedRequest {
  const { userId, apiKeyId, agent, startedAt } = task;
  const asked = run === null ? startedAt : (requests[0]?.at ?? startedAt);
  return { payer: { userId, apiKeyId, agentId: agent.id }, at: held?.hold.at ?? asked };
}

function limited(bound: CostBound | null): boolean {
  return bound?.needsOutputLimit ?? false;
}
