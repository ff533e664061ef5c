import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { formatAmount } from '../../../common/money/amount';
import { LanguageModels } from '../../../integrations/llm/language-models';
import { toReplyUsage } from '../../../integrations/llm/port/called-model';
import { CostLedger, toPricedUsage, totalCost } from './cost-ledger';
import type { CostKind } from './usage-cost.entity';

/** Adds the costs to the spans of requests to models. */
@Injectable()
export class SpanCosts {
  constructor(ledger: CostLedger, clock: Clock, models: LanguageModels) {
    models.onCost(async ({ provider, model, answered, images }, usage, kind) => {
      const request = {
        kind: kind as CostKind,
        round: 1,
        attempt: 1,
        provider,
        model: model + (usage.tariff ?? ''),
        modelAnswered: answered,
        usage: toPricedUsage(toReplyUsage(usage), images),
        isEstimated: false,
        isCounted: true,
        isFailed: false,
        askedAt: clock.now(),
      };
      return formatAmount(totalCost(await ledger.price([request])));
    });
  }
}
