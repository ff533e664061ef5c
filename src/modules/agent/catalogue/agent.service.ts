import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type EntityManager, In } from 'typeorm';
import { SharedCache } from '../../../common/cache/shared-cache';
import { RedisConnection } from '../../../common/redis/redis-connection';
import type { Principal } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { findRow, findRows } from '../../../database/statements/find';
import { type Agent, AgentEntity } from './agent.entity';
import { AgentInactiveError, AgentNotFoundError, MembershipRequiredError } from './agent.errors';
import { agentNameKey } from './agent-name-key';
import { usesProvider } from './agent-providers';

/** Most deleted agents in memory, which old chats still show. */
const MOST_DELETED = 1_000;

/**
 * Keeps all agents in memory: they are few, every message reads them, and they seldom change. Do not change the
 * returned objects.
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

  /** Agents by id, including deleted ones; one query at most. */
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

  /** The agents that are not deleted, in their order; or those with these ids, including deleted ones. */
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

/** The properties of a caller that decide which agents the caller sees and may chat with. */
export type AgentCaller = Pick<Principal, 'tier' | 'groupIds'>;

/** For work without a current caller, such as a reply that continues: access was checked when it started. */
export const ANY_AGENT: AgentCaller = { tier: 'admin', groupIds: [] };

/**
 * The agents as users see them. All methods except `get`, `toolsFor` and `usersOfProvider` read from memory.
 *
 * This folder has the code that all parts of the module share: the agent itself (`agent.entity.ts`,
 * `agent-behaviour.ts`), its errors, events and audit fields. Start here: other modules use this service.
 * `AgentCatalogue` keeps all agents in memory, and `agent-providers.ts` checks their model providers.
 */
@Injectable()
export class AgentService {
  constructor(
    private readonly database: Database,
    private readonly catalogue: AgentCatalogue,
  ) {}

  /** The agent as currently stored. @throws AgentNotFoundError if there is none, or it is deleted */
  async get(id: number): Promise<Agent> {
    const agent = await findRow(this.database.manager, AgentEntity, { id });
    if (!agent) {
      throw new AgentNotFoundError();
    }
    return agent;
  }

  /** Agents that the caller may choose, by `sort_order` and id. */
  async listActive(caller: AgentCaller): Promise<Agent[]> {
    return [...(await this.catalogue.all()).values()].filter((agent) => isActive(agent) && isShownTo(agent, caller));
  }

  /**
   * The agent's current tools, independent of the memory of other instances. Null: the caller may no longer chat with
   * it.
   */
  async toolsFor(id: number, caller: AgentCaller): Promise<NonNullable<Agent['tools']> | null> {
    const members = ['id', 'tools', 'status', 'accessLevel', 'groupIds'] as const;
    const agent = await findRow(this.database.manager, AgentEntity, { id }, { members: [...members] });
    return agent !== null && isActive(agent) && isShownTo(agent, caller) && isPaidFor(agent, caller)
      ? (agent.tools ?? [])
      : null;
  }

  /**
   * Agents that refer to a provider for their model or a fallback, including drafts. It reads them in the transaction.
   */
  async usersOfProvider(manager: EntityManager, name: string): Promise<Agent[]> {
    const agents = await findRows(manager, AgentEntity, {}, { order: { id: 'ASC' } });
    return agents.filter((agent) => usesProvider(agent, name));
  }

  /** Agents by id, including deleted ones, for showing existing chats; one query at most. */
  findManyForDisplay(ids: number[]): Promise<Map<number, Agent>> {
    return this.catalogue.findMany(ids);
  }

  /** The names of the agents by id, including deleted ones; one query at most. */
  async namesOf(ids: number[]): Promise<Map<number, string>> {
    const agents = await this.catalogue.findMany(ids);
    return new Map([...agents].map(([id, { name }]) => [id, name]));
  }

  /**
   * The id of the published agent with this name (case is ignored), or otherwise with this id; null: there is none that
   * the caller may see.
   */
  async idOf(nameOrId: string, caller: AgentCaller): Promise<number | null> {
    const key = agentNameKey(nameOrId);
    const published = [...(await this.catalogue.all()).values()].filter((agent) => isPublishedTo(agent, caller));
    const found =
      published.find(({ nameKey }) => nameKey === key) ?? published.find(({ id }) => String(id) === nameOrId);
    return found?.id ?? null;
  }

  /**
   * Whether the caller can see the agent: it is neither deleted nor a draft nor for other groups. It may be inactive,
   * or for members.
   */
  async isPublished(agentId: number, caller: AgentCaller): Promise<boolean> {
    const agent = (await this.catalogue.all()).get(agentId);
    return agent !== undefined && isPublishedTo(agent, caller);
  }

  /**
   * The agent of a new chat. Without an id it is the default agent. If there is none or it is inactive, it is the first
   * active agent of the list.
   *
   * @throws AgentNotFoundError if it is unknown, deleted, a draft, or for other groups
   * @throws AgentInactiveError if it is inactive
   * @throws MembershipRequiredError if it is for members and the caller is not a member
   */
  async resolveForNewChat(agentId: number | undefined, caller: AgentCaller): Promise<Agent> {
    const agent = agentId === undefined ? await this.defaultAgent(caller) : (await this.catalogue.all()).get(agentId);
    if (!agent || !isPublishedTo(agent, caller)) {
      throw new AgentNotFoundError();
    }
    return assertUsable(agent, caller);
  }

  /**
   * The agent of an existing chat, for sending.
   *
   * @throws AgentInactiveError if it is inactive, deleted, or for groups that the caller has left
   * @throws MembershipRequiredError if it is for members and the caller is not a member
   */
  async resolveForSending(agentId: number, caller: AgentCaller): Promise<Agent> {
    const agent = (await this.catalogue.all()).get(agentId);
    if (!agent || !isShownTo(agent, caller)) {
      throw new AgentInactiveError();
    }
    return assertUsable(agent, caller);
  }

  private async defaultAgent(caller: AgentCaller): Promise<Agent | undefined> {
    const active = await this.listActive(caller);
    return active.find(({ isDefault }) => isDefault) ?? active[0];
  }
}

function isActive({ status }: Pick<Agent, 'status'>): boolean {
  return status === 'active';
}

function isPaidFor({ accessLevel }: Pick<Agent, 'accessLevel'>, { tier }: AgentCaller): boolean {
  return accessLevel !== 'paid' || tier !== 'normal';
}

/** An agent for groups is visible only to their members and to administrators. */
export function isShownTo(
  { accessLevel, groupIds }: Pick<Agent, 'accessLevel' | 'groupIds'>,
  caller: AgentCaller,
): boolean {
  const isForGroups = accessLevel === 'groups' && caller.tier !== 'admin';
  return !isForGroups || (groupIds ?? []).some((id) => caller.groupIds.includes(id));
}

/** Whether the caller may use what has this access level. */
export function mayUse(access: Pick<Agent, 'accessLevel' | 'groupIds'>, caller: AgentCaller): boolean {
  return isShownTo(access, caller) && isPaidFor(access, caller);
}

function isPublishedTo(agent: Agent, caller: AgentCaller): boolean {
  return agent.status !== 'draft' && isShownTo(agent, caller);
}

function assertUsable(agent: Agent, caller: AgentCaller): Agent {
  if (!isActive(agent)) {
    throw new AgentInactiveError();
  }
  if (!isPaidFor(agent, caller)) {
    throw new MembershipRequiredError();
  }
  return agent;
}
