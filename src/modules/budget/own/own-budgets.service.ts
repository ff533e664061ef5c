import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import type { Principal } from '../../../common/security/principal';
import { BudgetDirectory } from '../budgets/budget-directory';
import { BudgetWindows } from '../windows/budget-windows';
import { type OwnBudgetDto, toOwnBudgetDto } from './own-budget.dto';

/** No agent has it. */
const NO_AGENT = 0;

/** Tells users of their budgets. */
@Injectable()
export class OwnBudgetsService {
  constructor(
    private readonly clock: Clock,
    private readonly directory: BudgetDirectory,
    private readonly windows: BudgetWindows,
  ) {}

  /** The budgets that requests of the caller are charged to, whichever agent answers. */
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
