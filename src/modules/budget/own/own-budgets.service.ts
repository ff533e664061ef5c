import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import type { Principal } from '../../../common/security/principal';
import type { BudgetEntity } from '../budgets/budget.entity';
import { BudgetDirectory } from '../budgets/budget-directory';
import { BudgetWindows } from '../windows/budget-windows';
import type { WindowState } from '../windows/window-amounts';
import { type OwnBudgetDto, toOwnBudgetDto } from './own-budget.dto';

/** A budget that refuses requests, with the amounts of its current window. */
export interface HardBudget extends WindowState, Pick<BudgetEntity, 'scope' | 'window'> {
  /** Whether it limits this user alone, and not several together. */
  isOwn: boolean;
  /** When the window ends. Null: never. */
  endsAt: Date | null;
}

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

  /** The budgets with a hard limit that the caller's requests to this agent are charged to. */
  async hardOf({ userId, apiKeyId }: Pick<Principal, 'userId' | 'apiKeyId'>, agentId: number): Promise<HardBudget[]> {
    const at = this.clock.now();
    const applied = await this.directory.applying({ userId, apiKeyId, agentId }, at);
    const hard = applied.filter(({ budget }) => budget.mode === 'hard');
    return Promise.all(
      hard.map(async (one) => ({
        ...(await this.windows.stateOf({ ...one, at })),
        scope: one.budget.scope,
        window: one.budget.window,
        isOwn: one.budget.eachUser || one.budget.scope === 'user',
        endsAt: this.windows.boundsOf(one.budget, at).end,
      })),
    );
  }
}
