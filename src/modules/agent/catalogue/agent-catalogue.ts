import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { In } from 'typeorm';
import { SharedCache } from '../../../common/cache/shared-cache';
import { RedisConnection } from '../../../common/redis/redis-connection';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { AgentEntity } from './agent.entity';

/** Number of deleted agents in memory, for showing old chats. */
const MOST_DELETED = 1_000;

/**
 * Keeps all agents in memory: they are few, every message reads them, and they seldom change. Do not change what it
 * returns.
 */
@Injectable()
export class AgentCatalogue {
  private readonly agents: SharedCache<void, Map<number, AgentEntity>>;
  private readonly deleted = new LRUCache<number, AgentEntity>({ max: MOST_DELETED });

  constructor(
    private readonly database: Database,
    redis: RedisConnection,
  ) {
    this.agents = new SharedCache({ channel: 'agents', load: () => this.load(), database, redis });
  }

  /** The agents that are not deleted, by id, ordered by `sort_order` and id. */
  all(): Promise<Map<number, AgentEntity>> {
    return this.agents.get();
  }

  /** Agents by id, deleted ones included; one query at most. */
  async findMany(ids: number[]): Promise<Map<number, AgentEntity>> {
    const present = await this.all();
    const found = new Map<number, AgentEntity>();
    const missing = new Set<number>();
    for (const id of ids) {
      const agent = present.get(id) ?? this.deleted.get(id);
      if (agent) {
        found.set(id, agent);
      } else {
        missing.add(id);
      }
    }
    for (const agent of missing.size > 0 ? await this.loadDeleted([...missing]) : []) {
      found.set(agent.id, agent);
    }
    return found;
  }

  /**
   * Call it within `Database.write`: this instance sees the change at the commit, other instances within five seconds.
   */
  changed(): void {
    this.agents.forgetOnCommit();
  }

  /** Those that are not deleted, in their order; or those with these ids, deleted ones included. */
  protected read(ids?: number[]): Promise<AgentEntity[]> {
    const { manager } = this.database;
    return ids === undefined
      ? findRows(manager, AgentEntity, {}, { order: { sortOrder: 'ASC', id: 'ASC' } })
      : findRows(manager, AgentEntity, { id: In(ids) }, { withDeleted: true });
  }

  private async load(): Promise<Map<number, AgentEntity>> {
    const agents = await this.read();
    return new Map(agents.map((agent) => [agent.id, agent]));
  }

  private async loadDeleted(ids: number[]): Promise<AgentEntity[]> {
    const agents = await this.read(ids);
    for (const agent of agents) {
      if (agent.deletedAt) {
        this.deleted.set(agent.id, agent);
      }
    }
    return agents;
  }
}
