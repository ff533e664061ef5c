import { Injectable } from '@nestjs/common';
import { LanguageModels } from '../../../integrations/llm/language-models';
import type { NamedModel } from '../../../integrations/llm/port/model-reference';
import {
  type Agent,
  type AgentCaller,
  AgentInactiveError,
  AgentNotFoundError,
  AgentService,
  MembershipRequiredError,
} from '../../agent/agent.api';
import { UnknownModelError } from '../anthropic.errors';

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
  ) {}

  /**
   * An agent by name (case-insensitive) or id, then `provider/model` if OPENAI_PASS_THROUGH is on.
   *
   * @throws UnknownModelError also if the caller may not use it
   */
  async resolve(model: string, caller: AgentCaller): Promise<MessageTarget> {
    const id = await this.agents.idOf(model, caller);
    if (id !== null) {
      return { kind: 'agent', agent: await this.agentOf(id, model, caller) };
    }
    const named = this.models.modelNamed(model);
    if (named === null) {
      throw new UnknownModelError(model);
    }
    return this.targetOf(named, model, caller);
  }

  private async targetOf(named: NamedModel, name: string, caller: AgentCaller): Promise<MessageTarget> {
    const present = await this.agentOf(undefined, name, caller);
    const agent = { ...present, ...named, name, systemPrompt: '', modelParams: {}, fallbackModels: [], tools: null };
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
