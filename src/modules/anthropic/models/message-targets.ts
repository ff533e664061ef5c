import { Injectable } from '@nestjs/common';
import { LanguageModels } from '../../../integrations/llm/language-models';
import type { NamedModel } from '../../../integrations/llm/port/model-reference';
import {
  type Agent,
  type AgentCaller,
  AgentInactiveError,
  AgentNotFoundError,
  AgentService,
  mayUse,
  MembershipRequiredError,
} from '../../agent/agent.api';
import { UnknownModelError } from '../anthropic.errors';
import { exactAlias, matchingAlias, type ModelAlias, modelOf } from './aliases/alias';
import { ModelAliases } from './aliases/model-aliases';

/** A model of an Anthropic provider, which gets the request's own bytes. */
export interface PassThroughTarget extends NamedModel {
  kind: 'pass-through';
  /** The default agent without its prompt and settings, to which the request is charged. */
  agent: Agent;
}

/** An agent; or a model of a provider with another API, as an agent without prompt and settings. */
export interface AgentTarget {
  kind: 'agent' | 'translated';
  agent: Agent;
}

/** What answers a request. */
export type MessageTarget = PassThroughTarget | AgentTarget;

/** Finds what answers for a client's `model`. */
@Injectable()
export class MessageTargets {
  constructor(
    private readonly agents: AgentService,
    private readonly models: LanguageModels,
    private readonly aliases: ModelAliases,
  ) {}

  /**
   * In this order: an alias with exactly this id; an agent by name (case-insensitive) or id; an alias with `*`, the
   * longest first; `provider/model` if OPENAI_PASS_THROUGH is on. An alias hides what comes after it, even from users who
   * may not use the alias.
   *
   * @throws UnknownModelError also if the caller may not use it
   */
  async resolve(model: string, caller: AgentCaller): Promise<MessageTarget> {
    const aliases = await this.aliases.list();
    const exact = exactAlias(aliases, model);
    if (exact !== undefined) {
      return this.targetOfAlias(exact, model, caller);
    }
    const id = await this.agents.idOf(model, caller);
    if (id !== null) {
      return { kind: 'agent', agent: await this.agentOf(id, model, caller) };
    }
    const matching = matchingAlias(aliases, model);
    if (matching !== undefined) {
      return this.targetOfAlias(matching, model, caller);
    }
    const named = this.models.modelNamed(model);
    if (named === null) {
      throw new UnknownModelError(model);
    }
    return this.targetOf(named, model, caller);
  }

  private async targetOfAlias(alias: ModelAlias, name: string, caller: AgentCaller): Promise<MessageTarget> {
    const { access_level: accessLevel, group_ids: groupIds, agent_id: agentId, provider } = alias;
    if (!mayUse({ accessLevel, groupIds }, caller)) {
      throw new UnknownModelError(name);
    }
    if (agentId !== null) {
      return { kind: 'agent', agent: await this.agentOf(agentId, name, caller) };
    }
    if (provider === null || !this.models.isActive(provider)) {
      throw new UnknownModelError(name);
    }
    return this.targetOf({ provider, model: modelOf(alias, name) }, name, caller);
  }

  private async targetOf(named: NamedModel, name: string, caller: AgentCaller): Promise<MessageTarget> {
    const present = await this.agentOf(undefined, name, caller);
    const own = { systemPrompt: '', modelParams: {}, fallbackModels: [], tools: null, knowledge: null };
    const agent = { ...present, ...named, name, ...own };
    return this.models.kindOf(named.provider) === 'anthropic'
      ? { kind: 'pass-through', ...named, agent }
      : { kind: 'translated', agent };
  }

  /** @param id undefined: the default agent */
  private async agentOf(id: number | undefined, model: string, caller: AgentCaller): Promise<Agent> {
    try {
      return await this.agents.resolveForNewChat(id, caller);
    } catch (error) {
      throw isUnavailable(error) ? new UnknownModelError(model) : error;
    }
  }
}

/** Whether the agent is hidden, inactive or for members. Clients then report the model as the problem. */
function isUnavailable(error: unknown): boolean {
  return [AgentNotFoundError, AgentInactiveError, MembershipRequiredError].some((each) => error instanceof each);
}
