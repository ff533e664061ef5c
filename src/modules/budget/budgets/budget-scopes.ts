import { Injectable } from '@nestjs/common';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import type { BudgetScope } from '../../../common/money/spending.errors';
import { AgentService } from '../../agent/agent.api';
import { ApiKeyQuery } from '../../api-key/api-key.api';
import { GroupNotFoundError, GroupQuery } from '../../group/group.api';
import { MEMBERSHIP_TYPES, type MembershipType, UserDirectoryQuery, UserService } from '../../user/user.api';
import type { BudgetEntity } from './budget.entity';

/** Scopes whose subjects have an id. */
const NAMED_SCOPES = ['group', 'user', 'api_key', 'agent'] as const satisfies readonly BudgetScope[];
type NamedScope = (typeof NAMED_SCOPES)[number];

type ScopeColumns = Pick<BudgetEntity, 'scopeId' | 'plan'>;

/** Checks that the subjects of budgets exist, and finds their names. */
@Injectable()
export class BudgetScopes {
  constructor(
    private readonly groups: GroupQuery,
    private readonly users: UserService,
    private readonly directory: UserDirectoryQuery,
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

  /** The names of the budgets' groups, users, keys and agents, by budget id. Deleted subjects have no name. */
  async namesOf(budgets: readonly BudgetEntity[]): Promise<Map<number, string>> {
    const names = new Map<number, string>();
    for (const scope of NAMED_SCOPES) {
      const concerned = budgets.filter((budget) => budget.scope === scope);
      if (concerned.length > 0) {
        const found = await this.named(
          scope,
          concerned.map(({ scopeId }) => scopeId ?? 0),
        );
        for (const { id, scopeId } of concerned) {
          const name = found.get(scopeId ?? 0);
          if (name !== undefined) {
            names.set(id, name);
          }
        }
      }
    }
    return names;
  }

  /** The owner of a budget of a user or of one of their keys. Null for all other budgets. */
  async ownerOf({ scope, scopeId }: Pick<BudgetEntity, 'scope' | 'scopeId'>): Promise<number | null> {
    if (scope === 'api_key' && scopeId !== null) {
      return (await this.keys.find([scopeId])).get(scopeId)?.userId ?? null;
    }
    return scope === 'user' ? scopeId : null;
  }

  private async named(scope: NamedScope, ids: number[]): Promise<Map<number, string>> {
    switch (scope) {
      case 'user':
        return this.directory.usernames(ids);
      case 'agent':
        return this.agents.namesOf(ids);
      case 'group':
        return this.groups.namesOf(ids);
      case 'api_key': {
        const keys = await this.keys.find(ids);
        return new Map([...keys].map(([id, { name }]) => [id, name]));
      }
    }
  }

  private async exists(scope: NamedScope, id: number): Promise<boolean> {
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

/** @throws any other error */
function isMissing(error: unknown): false {
  if (error instanceof GroupNotFoundError) {
    return false;
  }
  throw error;
}
