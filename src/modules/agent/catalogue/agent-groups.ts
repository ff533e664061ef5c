import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ValidationFailedError } from '../../../common/errors/validation.errors';

/** Who keeps the groups that agents can be opened to. */
export interface GroupKeeper {
  /** Within `Database.write`: locks those of the groups that there are, and returns their ids. */
  hold(manager: EntityManager, ids: readonly number[]): Promise<number[]>;
  /** Those of the groups that there are, with their names. */
  namesOf(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** The group of each name; null: there is none. */
  find(names: readonly string[]): Promise<(number | null)[]>;
}

/** Checks which groups agents may name. Another module keeps the groups: agents know nobody. */
@Injectable()
export class AgentGroups {
  private keeper: GroupKeeper = {
    hold: () => Promise.resolve([]),
    namesOf: () => Promise.resolve(new Map()),
    find: (names) => Promise.resolve(names.map(() => null)),
  };

  /** For the module that keeps groups; call it in a constructor. */
  useKeeper(keeper: GroupKeeper): void {
    this.keeper = keeper;
  }

  /** What groups are called, for installations where they have other ids. Those that are gone are left out. */
  namesOf(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    return this.keeper.namesOf(ids);
  }

  /** The ids of the groups that have these names here, by name. Names that no group has are left out. */
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
