import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ValidationFailedError } from '../../../common/errors/validation.errors';

/** Who keeps the groups that agents can be opened to. */
export interface GroupKeeper {
  /** Within `Database.write`: locks those of the groups that there are, and returns their ids. */
  hold(manager: EntityManager, ids: readonly number[]): Promise<number[]>;
}

/** Checks which groups agents may name. Another module keeps the groups: agents know nobody. */
@Injectable()
export class AgentGroups {
  private keeper: GroupKeeper = { hold: () => Promise.resolve([]) };

  /** For the module that keeps groups; call it in a constructor. */
  useKeeper(keeper: GroupKeeper): void {
    this.keeper = keeper;
  }

  /**
   * Locks the groups. Call it in the transaction that writes the agent: nobody can delete them before the commit.
   *
   * @param field path of the field in the body
   * @throws ValidationFailedError when one of them is gone
   */
  async hold(manager: EntityManager, ids: readonly number[], field = 'group_ids'): Promise<void> {
    if (ids.length > 0) {
      const present = await this.keeper.hold(manager, ids);
      if (ids.some((id) => !present.includes(id))) {
        throw ValidationFailedError.of(field, 'not_offered');
      }
    }
  }
}
