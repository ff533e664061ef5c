import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Amount } from '../../../common/money/amount';
import {
  ADDED_TOKENS,
  type EstimatedPart,
  estimatePrompt,
  pageTokens,
} from '../../../integrations/llm/counting/prompt-estimate';
import { type CountedMessage, messageTexts, TokenBounds } from '../../../integrations/llm/counting/token-bounds';
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
import { modelParameters, outputLimitOf, type PlannedRequest } from '../prompt/generation-request';
import { PromptBuilder } from '../prompt/prompt-builder';
import { TOKENS_PER_MESSAGE, tokensOfTurn } from '../prompt/prompt-limits';
import type { PromptSize } from '../prompt/prompt-size';
import { plannedRelay } from '../relaying/planned-relay';
import type { GenerationTask, HeldForReply } from '../reply/generation-task';
import { ReplyRegistry } from '../reply/reply-registry';
import type { RunningReply } from '../reply/running-reply';
import type { Turn } from '../reply/stored-parts';
import { RequestEstimates } from './request-estimates';

/** The fields of a task that decide the size of its prompt. */
type PromptTask = Pick<GenerationTask, 'agent' | 'options' | 'language' | 'customInstructions'> &
  Partial<Pick<GenerationTask, 'relay' | 'tokenCounts'>>;

/**
 * Called only when a budget applies.
 *
 * @param room maximum tokens of the prompt
 * @param isHard whether `countedTokens` is needed
 */
export type MeasureSize = (room: number, isHard: boolean) => Promise<PromptSize>;

/**
 * Holds the maximum cost of a reply in the budgets that apply. Prompts are estimated rather too high, and the reserved
 * output is the limit sent to the model. A reply therefore costs at most its hold, unless a provider bills more than it
 * reports. Methods with a manager run within `Database.write`.
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

  /** Wraps the transaction in which a reply starts. @throws BudgetExceededError */
  run<Result>(begin: () => Promise<Result>): Promise<Result> {
    return this.admission.run(begin);
  }

  /**
   * Holds budget for a reply. Call it last in the transaction, because it locks shared budgets until the commit. `measure`
   * returns the size of the prompt.
   *
   * @returns null when no budget applies
   * @throws ModelNotPricedError, and the errors of `measure`
   */
  async hold(
    manager: EntityManager,
    task: GenerationTask,
    messageId: number,
    measure: MeasureSize,
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
          this.planned(task, await measure(this.prompt.roomOf(task), isHard)),
          at,
          isHard,
        );
        bound = planned.bound;
        return planned;
      },
    });
    return hold && { bound, outputLimit: isLimited(bound) ? this.outputLimit(task) : null, hold };
  }

  /**
   * The same for a further round of a reply.
   *
   * @param messages the messages of the prompt
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
        countedTokens: isHard ? this.bounds.ofMessages(messages) : null,
      }),
    );
  }

  /**
   * Counts tokens for budgets with a hard limit. Call it before the transaction: the hold of uncounted texts is based
   * on their bytes.
   */
  async count(task: GenerationTask, messages: readonly CountedMessage[]): Promise<void> {
    if (await this.holdsByCount(task.startedAt)) {
      await this.bounds.count([...this.prompt.fixedTexts(task), ...messageTexts(messages)]);
    }
  }

  /** The maximum cost of a reply to these turns. Call `count` before. */
  async mostCost(task: PromptTask, turns: readonly Turn[]): Promise<Amount> {
    const tokens = turns.reduce((sum, turn) => sum + tokensOfTurn(turn, task.tokenCounts) + TOKENS_PER_MESSAGE, 0);
    const size = { ...sizeOf(turns, tokens), countedTokens: this.bounds.ofMessages(turns) };
    return (await this.estimates.of(this.planned(task, size), new Date(), true)).most;
  }

  /** Whether any budget has a hard limit, regardless of its scope. */
  holdsByCount(at: Date): Promise<boolean> {
    return this.admission.hasHard(at);
  }

  /** The texts of a task that `count` has not counted, if a budget has a hard limit. */
  async uncounted(task: GenerationTask): Promise<string[]> {
    return (await this.holdsByCount(task.startedAt)) ? this.bounds.missing(this.prompt.fixedTexts(task)) : [];
  }

  /** Call it before a fallback model is called for a reply. */
  markFallbacks({ task }: RunningReply, at: Date): Promise<void> {
    return this.estimates.markFallbacks(task.agent, at);
  }

  /** Releases the hold of a dead instance for a round whose cost is unknown. */
  async settleLost(manager: EntityManager, messageId: number): Promise<void> {
    await this.settlement.settle(manager, { messageId, name: 'reply' }, { cost: null, isUncertain: true });
  }

  /** Settles the hold of a dead instance for a round with its cost, after the ledger. @param at its admission */
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

  /** Releases the hold for a round whose model was not called. */
  async releaseRound(manager: EntityManager, messageId: number): Promise<void> {
    await this.settlement.settle(manager, { messageId, name: 'reply' }, { cost: 0n, isUncertain: false });
  }

  /** Call it after the ledger. If no budget applied at the start of the reply, it needs no query. */
  settle(manager: EntityManager, reply: RunningReply, cost: SettledCost): Promise<void> {
    return this.settlement.charge(manager, holdOf(reply), cost, requestOf(reply));
  }

  /**
   * Charges an abandoned request, which is in the ledger, and holds the same amount for the next one.
   *
   * @throws NoRoomLeft when a budget has no room for both
   */
  async spendLeft(manager: EntityManager, reply: RunningReply, cost: Amount | null): Promise<void> {
    await this.settlement.spendReplaced(manager, reply.held?.hold ?? null, cost ?? 0n, requestOf(reply));
  }

  /** Settles the hold of a reply whose cost this instance did not write to the ledger. */
  async settleUnwritten(manager: EntityManager, reply: RunningReply, cost: SettledCost): Promise<void> {
    const hold = holdOf(reply);
    if (hold !== null) {
      await this.settlement.settle(manager, hold, cost);
    }
  }

  /** The requests that the reply may need: the summary of its conversation, and the reply itself. */
  private planned(task: PromptTask, size: PromptSize): PlannedRequest[] {
    const { agent, options, relay } = task;
    if (relay !== undefined) {
      return [plannedRelay(agent, { ...relay, size }, this.outputLimit(task))];
    }
    const { tokens, images, pageTokens: pages } = size;
    const prompt = this.prompt.mostTokens(task, tokens) + pages;
    const fixed = this.prompt.fixedTexts(task).reduce((sum, text) => sum + this.bounds.of(text), ADDED_TOKENS);
    const countedTokens = size.countedTokens === null ? null : fixed + size.countedTokens + pages;
    const reply = { models: agent, prompt, countedTokens, images, output: this.outputLimit(task) };
    const wish = options?.compaction;
    if (wish === undefined) {
      return [reply];
    }
    const summary = this.compactor.planned(task, size);
    return wish === 'only' ? [summary] : tokens < wish ? [reply] : [reply, summary];
  }

  private outputLimit({ agent, options }: Pick<GenerationTask, 'agent' | 'options'>): number {
    return outputLimitOf(modelParameters(agent, options)) ?? this.config.BUDGET_ASSUMED_OUTPUT;
  }
}

/** The size of messages with these parts. @param tokens estimated */
export function sizeOf(
  messages: readonly { parts?: readonly EstimatedPart[] | null }[],
  tokens: number,
): Omit<PromptSize, 'countedTokens'> {
  const parts = messages.flatMap((message) => message.parts ?? []);
  return { tokens, images: parts.filter(({ type }) => type === 'image').length, pageTokens: pageTokens(parts) };
}

/** The hold of a reply. Null: none. The hold of a dead instance is not in memory, so it is found by its key. */
function holdOf({ begun, held, messageId }: RunningReply): Hold | HoldKey | null {
  return held?.hold ?? (begun === null ? { messageId, name: 'reply' } : null);
}

/** A later round without a hold has no admission time. Its first request started right after the admission. */
function requestOf({ task, held, hasRounds, requests }: RunningReply): ChargedRequest {
  const { userId, apiKeyId, agent, startedAt } = task;
  const asked = hasRounds ? (requests[0]?.at ?? startedAt) : startedAt;
  return { payer: { userId, apiKeyId, agentId: agent.id }, at: held?.hold.at ?? asked };
}

function isLimited(bound: CostBound | null): boolean {
  return bound?.needsOutputLimit ?? false;
}
