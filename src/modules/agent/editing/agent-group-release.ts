import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AgentStore } from './agent.store';

/** Removes a deleted group from the agents that it could use. */
@Injectable()
export class AgentGroupRelease {
  constructor(private readonly store: AgentStore) {}

  /** `Database.write` for a change that may change agents too. */
  write<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return this.store.write(work);
  }

  /**
   * Within `write`, before the group itself is locked. An agent that loses its last group is visible only to
   * administrators.
   *
   * @param actorId the administrator; null if a directory removed the group
   */
  async release(manager: EntityManager, groupId: number, actorId: number | null): Promise<void> {
    for (const agent of await this.store.allLocked(manager)) {
      const groupIds = agent.groupIds ?? [];
      if (groupIds.includes(groupId)) {
        await this.store.change(manager, agent, { groupIds: groupIds.filter((id) => id !== groupId) }, actorId);
      }
    }
  }
}
