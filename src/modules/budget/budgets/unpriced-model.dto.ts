import type { UnpricedModel } from './unpriced-models';

/** An agent that asks a model. */
export class UnpricedModelAgentDto {
  /** Its number. @example 3 */
  id: number;

  /** Its name. @example "General assistant" */
  name: string;
}

/** A model without a price that active agents ask first. */
export class UnpricedModelDto {
  /** The provider. @example "openai" */
  provider: string;

  /** The model, as the provider calls it. @example "gpt-5" */
  model: string;

  /** Whether a hard budget refuses it; false with `UNPRICED_MODELS=allow`. @example true */
  refused: boolean;

  /** The active agents that ask it first. */
  agents: UnpricedModelAgentDto[];

  /** The hard budgets that refuse it now. @example [7] */
  budget_ids: number[];
}

export function toUnpricedModelDto({ budgetIds, ...model }: UnpricedModel): UnpricedModelDto {
  return { ...model, budget_ids: budgetIds };
}
