import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { findRows } from '../../../database/statements/find';
import { AgentEntity } from './agent.entity';
import { AgentInUseError } from './agent.errors';

/** Within `Database.write`: whether a part of the service refers to the agent with this id, so that it must stay. */
type AgentUse = (manager: EntityManager, id: number) => Promise<boolean>;

/** The parts of the service that refer to agents by id. */
@Injectable()
export class AgentUses {
  private readonly uses: AgentUse[] = [];

  /** Call it in a constructor. */
  add(use: AgentUse): void {
    this.uses.push(use);
  }

  /** Within `Database.write`: locks the agents that are not deleted, so that they stay until the commit, and returns their ids. */
  async hold(manager: EntityManager, ids: readonly number[]): Promise<number[]> {
    const where = { id: In([...ids]) };
    const found = await findRows(manager, AgentEntity, where, { members: ['id'], order: { id: 'ASC' }, lock: 'wait' });
    return found.map(({ id }) => id);
  }

  /** Within `Database.write`, with the agent locked. @throws AgentInUseError */
  async assertUnused(manager: EntityManager, id: number): Promise<void> {
    for (const use of this.uses) {
      if (await use(manager, id)) {
        throw new AgentInUseError();
      }
    }
  }
}
