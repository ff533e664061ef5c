import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Amount } from '../../../common/money/amount';
import {
  ADDED_TOKENS,
  type EstimatedPart,
  estimatePrompt,
  pageTokens,
} from '../../../integrations/llm/counting/prompt-estimate';
import { type CountedMessage, textsOf, TokenBounds } from '../../../integrations/llm/counting/token-bounds';
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
import type { GenerationTask, HeldForReply } from '../reply/generation-task';
import type { RunningReply } from '../reply/running-reply';
import { modelParameters, outputLimitOf } from '../running/generation-request';
import { ReplyRegistry } from '../running/reply-registry';
import { type PlannedRequest, RequestEstimates } from './request-estimates';

/** What a model is told of a conversation, without what its agent adds. */
export interface PromptSize {
  /** Estimated, with what the chat format adds to each message. */
  tokens: number;
  images: number;
  /** Tokens that pages of PDFs may take beyond that. */
  pageTokens: number;
  /** Tokens without those pages, as counted by o200k_base; null: no budget with a hard limit applies. */
  counted: number | null;
}

/** Asked for only when a budget applies. @param room tokens that a prompt may have @param isHard whether `counted` is needed */
export type TellSize = (room: number, isHard: boolean) => Promise<PromptSize>;

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
    private readonly bounds: TokenBounds,
    private readonly config: BudgetConfig,
  ) {}

  /** Around the transaction in which a reply begins. @throws BudgetExceededError */
  run<Result>(begin: () => Promise<Result>): Promise<Result> {
    return this.admission.run(begin);
  }

  /**
   * Call it last: whoever shares a budget waits from here to the commit.
   *
   * @param told what the model will be told
   * @returns null when no budget applies
   * @throws ModelNotPricedError, and what `told` throws
   */
  async hold(
    manager: EntityManager,
    task: GenerationTask,
    messageId: number,
    told: TellSize,
  ): Promise<HeldForReply | null> {
    const { userId, apiKeyId, agent, options, startedAt: at } = task;
    const summary = options?.compaction === undefined ? [] : [this.compactor.modelsFor(task)];
    await this.estimates.markBegun([agent, ...summary], at);
    let bound: CostBound | null = null;
    const hold = await this.admission.admit(manager, {
      messageId,
      name: 'reply',
      payer: { userId, apiKeyId, agentId: agent.id },
      at,
      ownerId: this.registry.ownerId,
      estimate: async (isHard) => {
        const planned = await this.estimates.of(
          this.planned(task, await told(this.prompt.roomOf(task), isHard)),
          at,
          isHard,
        );
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
    return this.hold(manager, task, messageId, (_room, isHard) =>
      Promise.resolve({
        ...sizeOf(messages, estimatePrompt(messages)),
        counted: isHard ? this.bounds.ofMessages(messages) : null,
      }),
    );
  }

  /**
   * Counts what a budget with a hard limit holds by count. Call it before the transaction; what is not counted by then is held by
   * its bytes.
   */
  async count(task: GenerationTask, messages: readonly CountedMessage[]): Promise<void> {
    if (await this.holdsByCount(task.startedAt)) {
      await this.bounds.count([...this.prompt.fixedTexts(task), ...textsOf(messages)]);
    }
  }

  /** Whether any budget has a hard limit, regardless of its scope. */
  holdsByCount(at: Date): Promise<boolean> {
    return this.admission.hasHard(at);
  }

  /** The texts of a task that `count` has not seen, where a budget with a hard limit applies to it. */
  async uncounted(task: GenerationTask): Promise<string[]> {
    return (await this.holdsByCount(task.startedAt)) ? this.bounds.missing(this.prompt.fixedTexts(task)) : [];
  }

  /** Before another model is called for a reply than the first one. */
  markFallbacks({ task }: RunningReply, at: Date): Promise<void> {
    return this.estimates.markFallbacks(task.agent, at);
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
  private planned(task: GenerationTask, told: PromptSize): PlannedRequest[] {
    const { agent, options } = task;
    const { tokens, images, pageTokens: pages } = told;
    const prompt = this.prompt.mostTokens(task, tokens) + pages;
    const fixed = this.prompt.fixedTexts(task).reduce((sum, text) => sum + this.bounds.of(text), ADDED_TOKENS);
    const counted = told.counted === null ? null : fixed + told.counted + pages;
    const reply = { models: agent, prompt, counted, images, output: this.outputLimit(task) };
    const wish = options?.compaction;
    if (wish === undefined) {
      return [reply];
    }
    const summary = this.compactor.planned(task, told);
    return wish === 'only' ? [summary] : tokens < wish ? [reply] : [reply, summary];
  }

  private outputLimit({ agent, options }: GenerationTask): number {
    return outputLimitOf(modelParameters(agent, options)) ?? this.config.BUDGET_ASSUMED_OUTPUT;
  }
}

/** The size of messages with these parts. @param tokens estimated */
export function sizeOf(
  messages: readonly { parts?: readonly EstimatedPart[] | null }[],
  tokens: number,
): Omit<PromptSize, 'counted'> {
  const parts = messages.flatMap((message) => message.parts ?? []);
  return { tokens, images: parts.filter(({ type }) => type === 'image').length, pageTokens: pageTokens(parts) };
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
