import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AgentStore } from './agent.store';

/** Removes deleted tools from the agents that list them. */
@Injectable()
export class AgentToolRelease {
  constructor(private readonly store: AgentStore) {}

  /** `Database.write` for a change that may change agents too. */
  write<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return this.store.write(work);
  }

  /**
   * Within `write`, before the owner of the tools is locked.
   *
   * @param isGone returns whether the tool with this name is deleted
   * @param actorId the administrator; null: only count
   * @returns how many agents list such a tool
   */
  async release(manager: EntityManager, isGone: (name: string) => boolean, actorId: number | null): Promise<number> {
    let count = 0;
    for (const agent of await this.store.allLocked(manager)) {
      const tools = agent.tools ?? [];
      if (tools.some(({ name }) => isGone(name))) {
        count++;
        if (actorId !== null) {
          const left = tools.filter(({ name }) => !isGone(name));
          await this.store.change(manager, agent, { tools: left }, actorId, true);
        }
      }
    }
    return count;
  }
}
