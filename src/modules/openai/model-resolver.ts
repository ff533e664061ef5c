import { Injectable } from '@nestjs/common';
import { LanguageModels } from '../../integrations/llm/language-models';
import type { NamedModel } from '../../integrations/llm/port/model-reference';
import { type Agent, type AgentCaller, AgentService } from '../agent/agent.api';
import { type ReplyAgent, ReplyAgents } from '../chat/chat.api';
import { ModelNotFoundError } from './openai.errors';

/** Finds the agent for a client's `model`. */
@Injectable()
export class ModelResolver {
  constructor(
    private readonly agents: AgentService,
    private readonly models: LanguageModels,
    answerers: ReplyAgents,
  ) {
    answerers.useModels((name, caller) => this.resolveModel(name, caller));
  }

  /** The agents that a caller may use, in display order. */
  async list(caller: AgentCaller): Promise<Agent[]> {
    const agents = await this.agents.listActive(caller);
    return agents.filter(({ accessLevel }) => accessLevel !== 'paid' || caller.tier !== 'normal');
  }

  /**
   * The agent with this name (case-insensitive), or else with this ID. If OPENAI_PASS_THROUGH is on, `provider/model`
   * is the default agent with that model, and without its instructions and parameters.
   *
   * @throws ModelNotFoundError, AgentInactiveError, MembershipRequiredError
   */
  async resolve(model: string, caller: AgentCaller): Promise<ReplyAgent> {
    const id = await this.agents.idOf(model, caller);
    return id === null ? this.resolveModel(model, caller) : this.agents.resolveForNewChat(id, caller);
  }

  /** The model `provider/model`; null if callers may not name it, or its provider is unknown. */
  passedThrough(model: string): NamedModel | null {
    return this.models.modelNamed(model);
  }

  /** The default agent with the model `provider/model`. */
  private async resolveModel(model: string, caller: AgentCaller): Promise<ReplyAgent> {
    const named = this.passedThrough(model);
    if (named === null) {
      throw new ModelNotFoundError(model);
    }
    const agent = await this.agents.resolveForNewChat(undefined, caller);
    return { ...agent, ...named, name: model, modelName: model, systemPrompt: '', modelParams: {}, fallbackModels: [] };
  }
}
