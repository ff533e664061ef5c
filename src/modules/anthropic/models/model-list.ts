import { Injectable } from '@nestjs/common';
import { LanguageModels } from '../../../integrations/llm/language-models';
import { type AgentCaller, AgentService, mayUse } from '../../agent/agent.api';
import { exactAlias, isPattern, matchingAlias, type ModelAlias } from './aliases/alias';
import { ModelAliases } from './aliases/model-aliases';
import { MessageTargets } from './message-targets';
import { infoOfAgent, infoOfAlias, infoOfModel, type ModelInfo } from './model-info.dto';

/** Lists the models that callers may use. */
@Injectable()
export class ModelList {
  constructor(
    private readonly aliases: ModelAliases,
    private readonly agents: AgentService,
    private readonly models: LanguageModels,
    private readonly targets: MessageTargets,
  ) {}

  /** The exact aliases, then the agents that no alias hides. Patterns are not names that a client could send. */
  async list(caller: AgentCaller): Promise<ModelInfo[]> {
    const aliases = (await this.aliases.list()).filter((alias) => !isPattern(alias));
    const agents = (await this.agents.listActive(caller)).filter((agent) => mayUse(agent, caller));
    const ids = new Set(agents.map(({ id }) => id));
    const usable = aliases.filter((alias) => this.isUsable(alias, ids, caller));
    const hidden = new Set(aliases.map(({ id }) => id));
    return [
      ...usable.map((alias) => infoOfAlias(alias)),
      ...agents.filter(({ name }) => !hidden.has(name)).map(infoOfAgent),
    ];
  }

  /** The model that this name resolves to. @throws UnknownModelError */
  async find(name: string, caller: AgentCaller): Promise<ModelInfo> {
    const { kind, agent } = await this.targets.resolve(name, caller);
    const aliases = await this.aliases.list();
    const isAgent = kind === 'agent' && (await this.agents.idOf(name, caller)) !== null;
    const alias = exactAlias(aliases, name) ?? (isAgent ? undefined : matchingAlias(aliases, name));
    if (alias !== undefined) {
      return infoOfAlias(alias, name);
    }
    return kind === 'agent' ? infoOfAgent(agent) : infoOfModel(name);
  }

  /** @param agents the ids of the agents that the caller may use */
  private isUsable(alias: ModelAlias, agents: ReadonlySet<number>, caller: AgentCaller): boolean {
    const { access_level: accessLevel, group_ids: groupIds, agent_id: agentId, provider } = alias;
    const exists = agentId === null ? this.models.isActive(provider ?? '') : agents.has(agentId);
    return exists && mayUse({ accessLevel, groupIds }, caller);
  }
}
