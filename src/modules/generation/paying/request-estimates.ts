import { Injectable } from '@nestjs/common';
import { tokensFor } from '../../../integrations/llm/counting/token-bounds';
import type { CostBound } from '../../../integrations/llm/port/completion';
import { ModelNotPricedError } from '../../../integrations/llm/port/llm.errors';
import type { ModelsOfAgent, NamedModel } from '../../../integrations/llm/port/model-reference';
import { ModelRegistry } from '../../../integrations/llm/providers/model-registry';
import { BudgetConfig, type Estimate } from '../../budget/budget.api';
import { NO_PRICED_USAGE, PriceBook, withPriority } from '../../pricing/pricing.api';
import type { PlannedRequest } from '../prompt/generation-request';

/** Maximum cost of planned requests, and the limits that they must respect. */
export interface PlannedCost extends Estimate {
  /** Null: no budget with a hard limit applies. */
  bound: CostBound | null;
}

/** Calculates the maximum cost of requests over all models that may answer. */
@Injectable()
export class RequestEstimates {
  constructor(
    private readonly models: ModelRegistry,
    private readonly prices: PriceBook,
    private readonly config: BudgetConfig,
  ) {}

  /**
   * @param at when the first request starts: the prices of this time apply
   * @param isHard whether a budget refuses requests that may exceed its limit
   * @throws ModelNotPricedError when the first model has no price and a budget is hard
   */
  async of(requests: readonly PlannedRequest[], at: Date, isHard: boolean): Promise<PlannedCost> {
    const covered = new Set<string>();
    let [most, least] = [0n, 0n];
    for (const [index, request] of requests.entries()) {
      const candidates = withTariffs(this.models.candidatesOf(request.models), request);
      const { images, output: completion, webSearches } = request;
      const { cost, unpriced } = await this.prices.dearest(
        ({ model }) => ({ prompt: promptFor(model, request), completion, images, webSearches }),
        candidates,
        at,
      );
      const priced = candidates.filter((model) => !unpriced.includes(model));
      if (isHard) {
        this.requirePrice(candidates, unpriced);
      }
      most += cost;
      priced.forEach((model) => covered.add(keyOf(model)));
      if (index === 0) {
        least = await this.promptCost(priced[0], request, at);
      }
    }
    return { most, least: least < most ? least : most, bound: isHard ? this.boundOf(covered, most > 0n) : null };
  }

  /** Call it before the first model of each request is called. It fixes the prices. */
  markBegun(requests: readonly ModelsOfAgent[], at: Date): Promise<void> {
    return this.prices.markBegun(
      requests.flatMap((models) => this.models.candidatesOf(models).slice(0, 1)),
      at,
    );
  }

  /** Fixes the prices of all models of a request, before a fallback model is called. */
  markFallbacks(models: ModelsOfAgent, at: Date): Promise<void> {
    return this.prices.markBegun(this.models.candidatesOf(models), at);
  }

  private requirePrice([first]: readonly NamedModel[], unpriced: readonly NamedModel[]): void {
    if (first !== undefined && unpriced.includes(first) && !this.allowsUnpriced) {
      throw ModelNotPricedError.of('no_price');
    }
  }

  private async promptCost(
    model: NamedModel | undefined,
    { prompt, images }: Pick<PlannedRequest, 'prompt' | 'images'>,
    at: Date,
  ): Promise<bigint> {
    const usage = { ...NO_PRICED_USAGE, prompt, images, requests: 1 };
    const [priced] = model === undefined ? [] : await this.prices.price([{ ...model, usage, askedAt: at }]);
    return priced?.cost ?? 0n;
  }

  private boundOf(covered: ReadonlySet<string>, needsOutputLimit: boolean): CostBound {
    return { covers: (model) => this.allowsUnpriced || covered.has(keyOf(model)), needsOutputLimit };
  }

  private get allowsUnpriced(): boolean {
    return this.config.UNPRICED_MODELS === 'allow';
  }
}

/** The names under which the models may be billed, the requested tariff first. */
function withTariffs(models: readonly NamedModel[], { tariffs }: PlannedRequest): readonly NamedModel[] {
  if (tariffs === undefined) {
    return models;
  }
  const names = [tariffs.fixed, ...(tariffs.mayPrioritize ? [withPriority(tariffs.fixed)] : [])];
  return models.flatMap(({ provider, model }) => names.map((name) => ({ provider, model: model + name })));
}

/** Maximum tokens of the prompt, as this model counts. */
function promptFor(model: string, { prompt, countedTokens }: PlannedRequest): number {
  return countedTokens === null ? prompt : Math.max(prompt, tokensFor(model, countedTokens));
}

function keyOf({ provider, model }: NamedModel): string {
  return JSON.stringify([provider, model]);
}
