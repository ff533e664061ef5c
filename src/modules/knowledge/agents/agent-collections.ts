import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull } from 'typeorm';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { type AgentCollection, AgentKnowledge, type CollectionKeeper } from '../../agent/agent.api';
import { StoreAccesses } from '../collections/store-access';
import { KnowledgeStoreEntity } from '../tables/knowledge-store.entity';

/** The collections that agents refer to. */
@Injectable()
export class AgentCollections implements CollectionKeeper {
  constructor(
    private readonly database: Database,
    private readonly accesses: StoreAccesses,
    agents: AgentKnowledge,
  ) {
    agents.useKeeper(this);
  }

  async hold(manager: EntityManager, ids: readonly number[]): Promise<number[]> {
    const where = { id: In([...ids]), chatId: IsNull() };
    const options = { members: ['id'], order: { id: 'ASC' }, lock: 'wait' } as const;
    return (await findRows(manager, KnowledgeStoreEntity, where, options)).map(({ id }) => id);
  }

  async describe(ids: readonly number[]): Promise<AgentCollection[]> {
    const where = { id: In([...ids]), chatId: IsNull() };
    const members = ['id', 'name', 'everyone'] as const;
    const stores = await findRows(this.database.manager, KnowledgeStoreEntity, where, { members });
    const groups = await this.accesses.groupsOf(stores.map(({ id }) => id));
    return stores.map(({ id, name, everyone }) => ({ id, name, everyone, groups: groups.get(id) ?? [] }));
  }

  /** MySQL also finds names in other case: the caller compares them. */
  named(names: readonly string[]): Promise<Pick<AgentCollection, 'id' | 'name'>[]> {
    const where = { name: In([...names]), chatId: IsNull() };
    return findRows(this.database.manager, KnowledgeStoreEntity, where, { members: ['id', 'name'] });
  }
}
