import { Injectable } from '@nestjs/common';
import { AgentStatsService } from '../../agent/agent.api';
import { UNSUMMED, UsageFolding } from '../../usage/usage.api';

/** Has the statistics of agents count what the ledger of usage counts. Neither of the two modules knows the other. */
@Injectable()
export class AgentWorkCounting {
  constructor(folding: UsageFolding, stats: AgentStatsService) {
    stats.setUncounted(UNSUMMED);
    folding.onFold((manager, rows) => stats.count(manager, rows));
  }
}
