import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import type { Principal } from '../../../common/security/principal';
import { BudgetDirectory } from '../budgets/budget-directory';
import { BudgetWindows } from '../windows/budget-windows';
import { type OwnBudgetDto, toOwnBudgetDto } from './own-budget.dto';

/** An id that no agent has. */
const NO_AGENT = 0;

/** Shows users their budgets. */
@Injectable()
export class OwnBudgetsService {
  constructor(
    private readonly clock: Clock,
    private readonly directory: BudgetDirectory,
    private readonly windows: BudgetWindows,
  ) {}

  /** The budgets that the caller's requests are charged to, regardless of the agent. */
  async of({ userId, apiKeyId }: Pick<Principal, 'userId' | 'apiKeyId'>): Promise<OwnBudgetDto[]> {
    const at = this.clock.now();
    const applied = await this.directory.applying({ userId, apiKeyId, agentId: NO_AGENT }, at);
    return Promise.all(
      applied.map(async (one) => {
        const state = await this.windows.stateOf({ ...one, at });
        return toOwnBudgetDto(one.budget, state, this.windows.boundsOf(one.budget, at));
      }),
    );
  }
}
