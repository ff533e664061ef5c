import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { In } from 'typeorm';
import { RedisConnection } from '../../common/redis/redis-connection';
import { Database } from '../../database/database';
import { AgentEntity } from './agent.entity';

/** Longest time that another instance goes on with what it knows, in milliseconds. */
const FRESHNESS = 5_000;
/** Deleted agents that are kept for showing old chats. */
const MOST_DELETED = 1_000;
const CHANNEL = 'agents';

/** All agents in memory: they are few, read with every message, and seldom changed. Do not change what it hands out. */
@Injectable()
export class AgentCatalogue {
  private agents: Promise<Map<number, AgentEntity>> | null = null;
  private loadedAt = 0;
  private readonly deleted = new LRUCache<number, AgentEntity>({ max: MOST_DELETED });

  constructor(
    private readonly database: Database,
    private readonly redis: RedisConnection,
  ) {
    redis.subscribe(CHANNEL, () => this.forget());
  }

  /** The agents that are not deleted, by id, ordered by `sort_order` and id. */
  all(): Promise<Map<number, AgentEntity>> {
    if (!this.agents || performance.now() - this.loadedAt > FRESHNESS) {
      this.loadedAt = performance.now();
      // Keeps the promise: parallel readers share one query, and one begun before a change is never seen after it.
      const agents = this.load();
      this.agents = agents;
      agents.catch(() => this.agents === agents && this.forget());
    }
    return this.agents;
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

  /** Within `Database.write`: everybody sees the change once it is committed, other instances within five seconds. */
  changed(): void {
    this.database.onCommit(() => {
      this.forget();
      this.redis.publish(CHANNEL, 'changed');
    });
  }

  private forget(): void {
    this.agents = null;
  }

  private async load(): Promise<Map<number, AgentEntity>> {
    const agents = await this.database.repository(AgentEntity).find({ order: { sortOrder: 'ASC', id: 'ASC' } });
    return new Map(agents.map((agent) => [agent.id, agent]));
  }

  private async loadDeleted(ids: number[]): Promise<AgentEntity[]> {
    const agents = await this.database.repository(AgentEntity).find({ where: { id: In(ids) }, withDeleted: true });
    for (const agent of agents) {
      if (agent.deletedAt) {
        this.deleted.set(agent.id, agent);
      }
    }
    return agents;
  }
}
