import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Tier } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { findRow, findRows } from '../../../database/statements/find';
import { type Agent, AgentEntity } from './agent.entity';
import { AgentInactiveError, AgentNotFoundError, MembershipRequiredError } from './agent.errors';
import { AgentCatalogue } from './agent-catalogue';
import { agentNameKey } from './agent-name-key';
import { usesProvider } from './agent-providers';

/**
 * The agents as users see them. All methods but `get` and `usersOfProvider` read from memory.
 *
 * This folder holds what all parts of the module share: the agent itself (`agent.entity.ts`, `agent-behaviour.ts`), its
 * errors, events and audit fields. Start here: other modules ask this service. `agent-catalogue.ts` keeps all agents in
 * memory, and `agent-providers.ts` checks the model providers that they name.
 */
@Injectable()
export class AgentService {
  constructor(
    private readonly database: Database,
    private readonly catalogue: AgentCatalogue,
  ) {}

  /** The agent as the database has it now. @throws AgentNotFoundError when there is none, or it is deleted. */
  async get(id: number): Promise<Agent> {
    const agent = await findRow(this.database.manager, AgentEntity, { id });
    if (!agent) {
      throw new AgentNotFoundError();
    }
    return agent;
  }

  /** Agents that users may pick, by `sort_order` and id. */
  async listActive(): Promise<Agent[]> {
    return [...(await this.catalogue.all()).values()].filter(isActive);
  }

  /** Agents that name a provider for their model or a fallback, drafts included. It reads them in the transaction. */
  async usersOfProvider(manager: EntityManager, name: string): Promise<Agent[]> {
    const agents = await findRows(manager, AgentEntity, {}, { order: { id: 'ASC' } });
    return agents.filter((agent) => usesProvider(agent, name));
  }

  /** Agents by id, deleted ones included, for showing existing chats; one query at most. */
  findManyForDisplay(ids: number[]): Promise<Map<number, Agent>> {
    return this.catalogue.findMany(ids);
  }

  /** The names of the agents by id, deleted ones included; one query at most. */
  async namesOf(ids: number[]): Promise<Map<number, string>> {
    const agents = await this.catalogue.findMany(ids);
    return new Map([...agents].map(([id, { name }]) => [id, name]));
  }

  /** The id of the published agent with this name (case does not count), or else with this id; null: there is none. */
  async idOf(nameOrId: string): Promise<number | null> {
    const key = agentNameKey(nameOrId);
    const published = [...(await this.catalogue.all()).values()].filter(({ status }) => status !== 'draft');
    const found =
      published.find(({ nameKey }) => nameKey === key) ?? published.find(({ id }) => String(id) === nameOrId);
    return found?.id ?? null;
  }

  /** Whether users can see the agent: it is neither deleted nor a draft. It may be switched off, or for members. */
  async isPublished(agentId: number): Promise<boolean> {
    const agent = (await this.catalogue.all()).get(agentId);
    return agent !== undefined && agent.status !== 'draft';
  }

  /**
   * The agent of a new chat. Without an id it is the default agent; if there is none or it is inactive, the first
   * active agent of the list.
   *
   * @throws AgentNotFoundError when it is unknown, deleted or a draft.
   * @throws AgentInactiveError when it is switched off.
   * @throws MembershipRequiredError when it is for members and the caller is not a member.
   */
  async resolveForNewChat(agentId: number | undefined, tier: Tier): Promise<Agent> {
    const agent = agentId === undefined ? await this.defaultAgent() : (await this.catalogue.all()).get(agentId);
    if (!agent || agent.status === 'draft') {
      throw new AgentNotFoundError();
    }
    return assertUsable(agent, tier);
  }

  /**
   * The agent of an existing chat, for sending.
   *
   * @throws AgentInactiveError when it is switched off or deleted.
   * @throws MembershipRequiredError when it is for members and the caller is not a member.
   */
  async resolveForSending(agentId: number, tier: Tier): Promise<Agent> {
    const agent = (await this.catalogue.all()).get(agentId);
    if (!agent) {
      throw new AgentInactiveError();
    }
    return assertUsable(agent, tier);
  }

  private async defaultAgent(): Promise<Agent | undefined> {
    const active = await this.listActive();
    return active.find(({ isDefault }) => isDefault) ?? active[0];
  }
}

function isActive(agent: Agent): boolean {
  return agent.status === 'active';
}

function assertUsable(agent: Agent, tier: Tier): Agent {
  if (!isActive(agent)) {
    throw new AgentInactiveError();
  }
  if (agent.accessLevel === 'paid' && tier === 'normal') {
    throw new MembershipRequiredError();
  }
  return agent;
}
