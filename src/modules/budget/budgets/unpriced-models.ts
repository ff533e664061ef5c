import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import type { NamedModel } from '../../../integrations/llm/port/model-reference';
import { ModelRegistry } from '../../../integrations/llm/providers/model-registry';
import { AgentService, ANY_AGENT } from '../../agent/agent.api';
import { PriceBook } from '../../pricing/pricing.api';
import { BudgetConfig } from '../budget.config';
import type { BudgetEntity } from './budget.entity';
import { BudgetDirectory } from './budget-directory';

/** A model without a price that is the first choice of active agents. */
export interface UnpricedModel extends NamedModel {
  /** Whether hard budgets refuse models without a price. */
  refused: boolean;
  agents: { id: number; name: string }[];
  /** Ids of the hard budgets that currently refuse the model. */
  budgetIds: number[];
}

/** Finds agents that cannot answer under a hard budget, because their model has no price. Uses cached data only. */
@Injectable()
export class UnpricedModels {
  constructor(
    private readonly clock: Clock,
    private readonly agents: AgentService,
    private readonly models: ModelRegistry,
    private readonly prices: PriceBook,
    private readonly directory: BudgetDirectory,
    private readonly config: BudgetConfig,
  ) {}

  /** Sorted like the agents. */
  async find(): Promise<UnpricedModel[]> {
    const now = this.clock.now();
    const refused = this.config.UNPRICED_MODELS === 'refuse';
    const budgets = refused ? await this.directory.hard(now) : [];
    const found = new Map<string, UnpricedModel>();
    for (const agent of await this.agents.listActive(ANY_AGENT)) {
      // Only the first model matters: fallback models without a price are skipped, and the agent still answers.
      const [first] = this.models.candidatesOf(agent);
      if (first !== undefined && !(await this.prices.hasPrice(first, now))) {
        const key = JSON.stringify([first.provider, first.model]);
        const model = found.get(key) ?? { ...first, refused, agents: [], budgetIds: [] };
        model.agents.push({ id: agent.id, name: agent.name });
        found.set(key, model);
      }
    }
    return [...found.values()].map((model) => ({ ...model, budgetIds: refusing(budgets, model) }));
  }
}

/** An agent's budget refuses only models that this agent uses. */
function refusing(budgets: readonly BudgetEntity[], { agents }: UnpricedModel): number[] {
  return budgets
    .filter(({ scope, scopeId }) => scope !== 'agent' || agents.some(({ id }) => id === scopeId))
    .map(({ id }) => id);
}
