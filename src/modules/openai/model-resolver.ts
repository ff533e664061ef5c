import { Injectable } from '@nestjs/common';
import { LanguageModels } from '../../integrations/llm/language-models';
import { LONGEST_MODEL_NAME } from '../../integrations/llm/port/provider-definition';
import { type Agent, type AgentCaller, AgentService } from '../agent/agent.api';
import { type ReplyAgent, ReplyAgents } from '../chat/chat.api';
import { OpenAiConfig } from './openai.config';
import { ModelNotFoundError } from './openai.errors';

/** Finds the agent that a client means with `model`. */
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

  /** The agents that a caller may use, in the order of lists. */
  async list(caller: AgentCaller): Promise<Agent[]> {
    const agents = await this.agents.listActive(caller);
    return agents.filter(({ accessLevel }) => accessLevel !== 'paid' || caller.tier !== 'normal');
  }

  /**
   * The agent with this name (case does not count), or else with this id. Where OPENAI_PASS_THROUGH allows it, `provider/model`
   * is the default agent with that model, and without anything that the agent itself says to models.
   *
   * @throws ModelNotFoundError, AgentInactiveError, MembershipRequiredError
   */
  async resolve(model: string, caller: AgentCaller): Promise<ReplyAgent> {
    const id = await this.agents.idOf(model, caller);
    return id === null ? this.resolveModel(model, caller) : this.agents.resolveForNewChat(id, caller);
  }

  /** The default agent with the model `provider/model`. */
  private async resolveModel(model: string, caller: AgentCaller): Promise<ReplyAgent> {
    const named = this.config.OPENAI_PASS_THROUGH ? this.providerModel(model) : null;
    if (named === null) {
      throw new ModelNotFoundError(model);
    }
    const agent = await this.agents.resolveForNewChat(undefined, caller);
    return { ...agent, ...named, name: model, modelName: model, systemPrompt: '', modelParams: {}, fallbackModels: [] };
  }

  /** Everything behind the first slash is the model: names of models have slashes too. */
  private providerModel(text: string): { provider: string; model: string } | null {
    const [, provider, model] = /^([^/]+)\/(.+)$/s.exec(text) ?? [];
    if (provider === undefined || model === undefined || model.length > LONGEST_MODEL_NAME) {
      return null;
    }
    return this.models.lookUp({ provider, model }).isKnown ? { provider, model } : null;
  }
}
