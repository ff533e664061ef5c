import type { UnpricedModel } from './unpriced-models';

/** An agent that uses the model. */
export class UnpricedModelAgentDto {
  /** Id of the agent. @example 3 */
  id: number;

  /** Name of the agent. @example "General assistant" */
  name: string;
}

/** A model without a price that is the first choice of active agents. */
export class UnpricedModelDto {
  /** Name of the provider. @example "openai" */
  provider: string;

  /** The provider's name for the model. @example "gpt-5" */
  model: string;

  /** Whether a hard budget refuses the model. False with `UNPRICED_MODELS=allow`. @example true */
  refused: boolean;

  /** The active agents whose first choice is this model. */
  agents: UnpricedModelAgentDto[];

  /** Ids of the hard budgets that currently refuse the model. @example [7] */
  budget_ids: number[];
}

export function toUnpricedModelDto({ budgetIds, ...model }: UnpricedModel): UnpricedModelDto {
  return { ...model, budget_ids: budgetIds };
}
