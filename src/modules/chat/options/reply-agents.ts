import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../common/errors/api-error';
import { type Agent, type AgentCaller, AgentInactiveError, AgentService } from '../../agent/agent.api';

/** An agent; with `modelName`, what that agent would be with a model of a provider in the place of its own. */
export type ReplyAgent = Agent & { readonly modelName?: string };

/** Finds the agent for the name of a provider's model. @throws ApiError when it may not be used, or there is none */
type ModelFinder = (name: string, caller: AgentCaller) => Promise<ReplyAgent>;

const FORM = /^(agent|model):(.+)$/s;

/**
 * Finds again who answered instead of the agent of a conversation. `MessageEntity.answerer` names it: `agent:7`, or
 * `model:provider/model`. What follows such a message without naming anybody else is answered by the same.
 */
@Injectable()
export class ReplyAgents {
  private findModel: ModelFinder = () => Promise.reject(new AgentInactiveError());

  constructor(private readonly agents: AgentService) {}

  /** For the module that lets programs name models; call it in a constructor. */
  useModels(find: ModelFinder): void {
    this.findModel = find;
  }

  /**
   * @param answerer null: the agent of the conversation, for which this is null too
   * @throws ApiError when it can be had no more
   */
  async resolve(answerer: string | null, caller: AgentCaller): Promise<ReplyAgent | null> {
    const [, kind, name = ''] = FORM.exec(answerer ?? '') ?? [];
    if (kind === undefined) {
      return null;
    }
    return kind === 'agent' ? this.agents.resolveForSending(Number(name), caller) : this.findModel(name, caller);
  }

  /** The same; null too when it can be had no more: then the agent of the conversation answers. */
  async find(answerer: string | null, caller: AgentCaller): Promise<ReplyAgent | null> {
    try {
      return await this.resolve(answerer, caller);
    } catch (error) {
      if (error instanceof ApiError) {
        return null;
      }
      throw error;
    }
  }
}

/** How a message names who answers; null for the agent of its conversation. */
export function answererOf({ id, modelName }: ReplyAgent, ownAgentId: number): string | null {
  if (modelName !== undefined) {
    return `model:${modelName}`;
  }
  return id === ownAgentId ? null : `agent:${id}`;
}
