import type { EntityManager } from 'typeorm';

/** Members of groups that providers put there. */
export abstract class GroupMembership {
  /** Those of these ids that are groups. */
  abstract existing(ids: readonly number[]): Promise<number[]>;

  /**
   * Within `Database.write`: makes the groups that providers give a user exactly these. What administrators or SCIM gave
   * stays.
   */
  abstract setGiven(manager: EntityManager, userId: number, groupIds: readonly number[]): Promise<void>;
}
