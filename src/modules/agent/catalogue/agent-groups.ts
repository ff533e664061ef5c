import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ValidationFailedError } from '../../../common/errors/validation.errors';

/** Access to the groups for which agents can be opened. */
export interface GroupKeeper {
  /** Within `Database.write`: locks the existing groups among these, and returns their ids. */
  hold(manager: EntityManager, ids: readonly number[]): Promise<number[]>;
  /** The existing groups among these, with their names. */
  namesOf(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** The group with each name; null: there is none. */
  find(names: readonly string[]): Promise<(number | null)[]>;
}

/**
 * Checks which groups agents may refer to. Another module manages the groups, because agents do not depend on users.
 */
@Injectable()
export class AgentGroups {
  private keeper: GroupKeeper = {
    hold: () => Promise.resolve([]),
    namesOf: () => Promise.resolve(new Map()),
    find: (names) => Promise.resolve(names.map(() => null)),
  };

  /** For the module that manages groups; call it in a constructor. */
  useKeeper(keeper: GroupKeeper): void {
    this.keeper = keeper;
  }

  /** The names of groups, for installations where they have other ids. Deleted groups are left out. */
  namesOf(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    return this.keeper.namesOf(ids);
  }

  /** The ids of the groups with these names here, by name. Unknown names are left out. */
  async idsOf(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const distinct = [...new Set(names)];
    const ids = distinct.length === 0 ? [] : await this.keeper.find(distinct);
    return new Map(
      distinct.flatMap((name, index) => {
        const id = ids[index] ?? null;
        return id === null ? [] : [[name, id] as const];
      }),
    );
  }

  /**
   * Locks the groups. Call it in the transaction that writes the agent, so that they cannot be deleted before the
   * commit.
   *
   * @param field path of the field in the body
   * @throws ValidationFailedError if one of them was deleted
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
