import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { estimatePrompt } from '../../../integrations/llm/counting/prompt-estimate';
import type { Completion, GenerationRequest } from '../../../integrations/llm/port/completion';
import { TrialPayer, type Trier } from '../../agent/agent.api';
import { BudgetConfig } from '../../budget/budget.api';
import { outputLimitOf, withLimit } from '../running/generation-request';
import { type PaidOutcome, PaidRequests } from './paid-requests';

/** Has trials held and settled in the budgets of whoever makes them. */
@Injectable()
export class TrialPayments {
  constructor(
    private readonly database: Database,
    private readonly paid: PaidRequests,
    private readonly config: BudgetConfig,
    payer: TrialPayer,
  ) {
    payer.useKeeper((...trial) => this.pay(...trial));
  }

  /** @throws BudgetExceededError, ModelNotPricedError, and what asking throws */
  private async pay(
    payer: Trier,
    request: GenerationRequest,
    ask: (request: GenerationRequest) => Promise<Completion>,
  ): Promise<Completion> {
    const output = outputLimitOf(request.parameters) ?? this.config.BUDGET_ASSUMED_OUTPUT;
    const planned = { models: request, prompt: estimatePrompt(request.messages), images: 0, output };
    const name = `trial:${randomUUID().replaceAll('-', '')}` as const;
    const { bound, settle } = await this.paid.begin({ messageId: 0, name, payer, request: planned });
    const parameters = withLimit(request.parameters, bound?.needsOutputLimit ? output : null);
    const outcome: PaidOutcome = { asked: null, usage: null, isFailed: true };
    try {
      const completion = await ask(bound === null ? request : { ...request, parameters, bound });
      outcome.asked = completion.asked;
      outcome.usage = completion.usage;
      outcome.isFailed = false;
      return completion;
    } finally {
      if (settle !== null) {
        await this.database.write((manager) => settle(manager, outcome));
      }
    }
  }
}
