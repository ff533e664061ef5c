import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { AgentEntity } from './agent.entity';

/** A collection that agents search, and who may read it besides its owner. */
export interface AgentCollection {
  id: number;
  name: string;
  everyone: 'reader' | null;
  groups: readonly { groupId: number; role: 'reader' | 'editor' }[];
}

/** Access to the collections that agents can search. */
export interface CollectionKeeper {
  /** Within `Database.write`: locks the existing collections among these, and returns their ids. */
  hold(manager: EntityManager, ids: readonly number[]): Promise<number[]>;
  /** The existing collections among these. */
  describe(ids: readonly number[]): Promise<AgentCollection[]>;
  /** The collections with these names. */
  named(names: readonly string[]): Promise<Pick<AgentCollection, 'id' | 'name'>[]>;
}

/** Checks which collections agents may refer to. Another module has them, because agents do not depend on users. */
@Injectable()
export class AgentKnowledge {
  private keeper: CollectionKeeper = {
    hold: () => Promise.resolve([]),
    describe: () => Promise.resolve([]),
    named: () => Promise.resolve([]),
  };

  constructor(private readonly database: Database) {}

  /** For the module that has the collections; call it in a constructor. */
  useKeeper(keeper: CollectionKeeper): void {
    this.keeper = keeper;
  }

  /**
   * The existing collections of these definitions, each in its order.
   *
   * @returns a function that looks up the collections of one of them
   */
  async describeAll(
    definitions: readonly Pick<AgentEntity, 'knowledge'>[],
  ): Promise<(definition: Pick<AgentEntity, 'knowledge'>) => AgentCollection[]> {
    const ids = [...new Set(definitions.flatMap(({ knowledge }) => knowledge ?? []))];
    const found = ids.length === 0 ? [] : await this.keeper.describe(ids);
    const byId = new Map(found.map((collection) => [collection.id, collection]));
    return ({ knowledge }) => (knowledge ?? []).flatMap((id) => byId.get(id) ?? []);
  }

  /** The existing collections of an agent. */
  async describe(agent: Pick<AgentEntity, 'knowledge'>): Promise<AgentCollection[]> {
    return (await this.describeAll([agent]))(agent);
  }

  /** The ids of the collections with each of these names. */
  async idsOf(names: readonly string[]): Promise<(name: string) => number[]> {
    const distinct = [...new Set(names)];
    const found = distinct.length === 0 ? [] : await this.keeper.named(distinct);
    return (name) => found.filter((collection) => collection.name === name).map(({ id }) => id);
  }

  /**
   * Call it in the transaction that writes the agent, because it locks the collections.
   *
   * @throws ValidationFailedError for a collection that does not exist
   */
  async require(manager: EntityManager, ids: readonly number[]): Promise<void> {
    const present = ids.length === 0 ? [] : await this.keeper.hold(manager, ids);
    const index = ids.findIndex((id) => !present.includes(id));
    if (index >= 0) {
      throw ValidationFailedError.of(`knowledge.${index}`, 'not_offered');
    }
  }

  /** The agents that search a collection, by id. */
  async agentsOf(collectionId: number): Promise<number[]> {
    const agents = await findRows(this.database.manager, AgentEntity, {}, { members: ['id', 'knowledge'] });
    const users = agents.filter(({ knowledge }) => knowledge?.includes(collectionId));
    return users.map(({ id }) => id).sort((one, other) => one - other);
  }
}
