import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { estimatePrompt } from '../../../integrations/llm/counting/prompt-estimate';
import { messageTexts, TokenBounds } from '../../../integrations/llm/counting/token-bounds';
import { LanguageModels } from '../../../integrations/llm/language-models';
import type { CostBound, GenerationRequest } from '../../../integrations/llm/port/completion';
import { type AdmittedSide, SideModels, type SideRequest } from '../../../integrations/llm/side-requests';
import { BudgetAdmission, BudgetConfig, BudgetSettlement, type HoldKey } from '../../budget/budget.api';
import { SideCosts } from '../../usage/usage.api';
import { outputLimitOf, withLimit } from '../prompt/generation-request';
import { ReplyRegistry } from '../reply/reply-registry';
import { type PlannedCost, RequestEstimates } from './request-estimates';

/**
 * Records requests for titles and trials before they are sent, and holds their maximum cost in the budgets of the user
 * who causes them.
 */
@Injectable()
export class SidePayments {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly sharedClock: SharedClock,
    private readonly admission: BudgetAdmission,
    private readonly settlement: BudgetSettlement,
    private readonly estimates: RequestEstimates,
    private readonly registry: ReplyRegistry,
    private readonly bounds: TokenBounds,
    private readonly config: BudgetConfig,
    private readonly models: LanguageModels,
    private readonly costs: SideCosts,
    sideModels: SideModels,
  ) {
    sideModels.onAdmit((request, cause) => this.admit(request, cause));
  }

  /** @throws BudgetExceededError, ModelNotPricedError */
  private async admit(request: GenerationRequest, cause: SideRequest): Promise<AdmittedSide> {
    const at = this.clock.now();
    const { userId, apiKeyId, agentId } = cause;
    const payer = { userId, apiKeyId, agentId };
    const output = outputLimitOf(request.parameters) ?? this.config.BUDGET_ASSUMED_OUTPUT;
    const isHard = await this.admission.hasHard(at);
    await (isHard && this.bounds.count(messageTexts(request.messages)));
    const countedTokens = isHard ? this.bounds.ofMessages(request.messages) : null;
    const planned = { models: request, prompt: estimatePrompt(request.messages), countedTokens, images: 0, output };
    const key = keyOf(cause);
    const { ownerId } = this.registry;
    let bound: CostBound | null = null;
    const estimate = async (isHard: boolean): Promise<PlannedCost> => {
      const cost = await this.estimates.of([planned], at, isHard);
      bound = cost.bound;
      return cost;
    };
    const order = { ...key, payer, at, ownerId, estimate };
    const { provider, model } = this.models.lookUp(request);
    const asked = { provider, model: model ?? '', promptTokens: planned.prompt, askedAt: this.sharedClock.now() };
    const open = { ...cause, ...asked, ownerId, holdName: key.name };
    const [openId, hold] = await this.admission.run(() =>
      this.database.write(async (manager) => {
        const id = await this.costs.begin(manager, open);
        await this.estimates.markFallbacks(request, at);
        return [id, await this.admission.admit(manager, order)] as const;
      }),
    );
    return {
      request: limited(request, bound, output),
      openId,
      settle: (manager, cost) => this.settlement.charge(manager, hold, { cost, isUncertain: false }, { payer, at }),
      spend: (manager, cost) => this.settlement.spendReplaced(manager, hold, cost ?? 0n, { payer, at }),
    };
  }
}

/** The key of the hold. A reply has at most one title; each trial has a new key. */
function keyOf({ kind, messageId }: SideRequest): HoldKey {
  return kind === 'title'
    ? { messageId: messageId ?? 0, name: 'title' }
    : { messageId: 0, name: `trial:${randomUUID().replaceAll('-', '')}` };
}

function limited(request: GenerationRequest, bound: CostBound | null, output: number): GenerationRequest {
  if (bound === null) {
    return request;
  }
  const parameters = withLimit(request.parameters, bound.needsOutputLimit ? output : null);
  return { ...request, parameters, bound };
}
