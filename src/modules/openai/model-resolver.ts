import { Injectable } from '@nestjs/common';
import { LanguageModels } from '../../integrations/llm/language-models';
import { LONGEST_MODEL_NAME } from '../../integrations/llm/port/provider-definition';
import { type Agent, type AgentCaller, AgentService } from '../agent/agent.api';
import { type ReplyAgent, ReplyAgents } from '../chat/chat.api';
import { OpenAiConfig } from './openai.config';
import { ModelNotFoundError } from './openai.errors';

/** Finds the agent for a client's `model`. */
@Injectable()
export class ModelResolver {
  constructor(
    private readonly config: OpenAiConfig,
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
  passedThrough(model: string): { provider: string; model: string } | null {
    return this.config.OPENAI_PASS_THROUGH ? this.providerModel(model) : null;
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

  /** The model is everything after the first slash, because model names may contain slashes. */
  private providerModel(text: string): { provider: string; model: string } | null {
    const [, provider, model] = /^([^/]+)\/(.+)$/s.exec(text) ?? [];
    if (provider === undefined || model === undefined || model.length > LONGEST_MODEL_NAME) {
      return null;
    }
    return this.models.lookUp({ provider, model }).isKnown ? { provider, model } : null;
  }
}
