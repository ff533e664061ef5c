import { Injectable } from '@nestjs/common';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import type { BudgetScope } from '../../../common/money/spending.errors';
import { AgentService } from '../../agent/agent.api';
import { ApiKeyQuery } from '../../api-key/api-key.api';
import { GroupNotFoundError, GroupQuery } from '../../group/group.api';
import { MEMBERSHIP_TYPES, type MembershipType, UserService } from '../../user/user.api';
import type { BudgetEntity } from './budget.entity';

type ScopeColumns = Pick<BudgetEntity, 'scopeId' | 'plan'>;

/** Checks that there is what a budget is for. */
@Injectable()
export class BudgetScopes {
  constructor(
    private readonly groups: GroupQuery,
    private readonly users: UserService,
    private readonly agents: AgentService,
    private readonly keys: ApiKeyQuery,
  ) {}

  /** @throws ValidationFailedError */
  async read(scope: BudgetScope, id: number | string | null | undefined): Promise<ScopeColumns> {
    if (scope === 'service') {
      if (id !== null && id !== undefined) {
        throw ValidationFailedError.of('scope_id', 'conflicts');
      }
      return { scopeId: null, plan: null };
    }
    if (id === null || id === undefined) {
      throw ValidationFailedError.of('scope_id', 'required');
    }
    if (scope === 'membership_type') {
      if (!MEMBERSHIP_TYPES.some((plan) => plan === id)) {
        throw ValidationFailedError.of('scope_id', 'not_allowed');
      }
      return { scopeId: null, plan: id as MembershipType };
    }
    if (typeof id !== 'number') {
      throw ValidationFailedError.of('scope_id', 'wrong_type');
    }
    if (!(await this.exists(scope, id))) {
      throw ValidationFailedError.of('scope_id', 'not_offered');
    }
    return { scopeId: id, plan: null };
  }

  private async exists(scope: Exclude<BudgetScope, 'service' | 'membership_type'>, id: number): Promise<boolean> {
    switch (scope) {
      case 'user':
        return (await this.users.findById(id)) !== null;
      case 'agent':
        return (await this.agents.findManyForDisplay([id])).has(id);
      case 'api_key':
        return (await this.keys.find([id])).has(id);
      case 'group':
        return this.groups.get(id).then(isThere, isMissing);
    }
  }
}

const isThere = (): true => true;

/** @throws any other fault */
function isMissing(error: unknown): false {
  if (error instanceof GroupNotFoundError) {
    return false;
  }
  throw error;
}
