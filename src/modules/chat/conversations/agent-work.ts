import { Injectable } from '@nestjs/common';
import { AgentStatsService } from '../../agent/agent.api';
import { UNSUMMED, UsageFolding } from '../../usage/usage.api';

/** Passes the sums of the usage ledger to the agent statistics, so that the two modules do not depend on each other. */
@Injectable()
export class AgentWorkCounting {
  constructor(folding: UsageFolding, stats: AgentStatsService) {
    stats.setUncounted(UNSUMMED);
    folding.onFold((manager, rows) => stats.count(manager, rows));
  }
}
