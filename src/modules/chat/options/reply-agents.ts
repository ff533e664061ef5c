import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../common/errors/api-error';
import { type Agent, type AgentCaller, AgentInactiveError, AgentService } from '../../agent/agent.api';

/** An agent. With `modelName`, the agent runs with this provider's model instead of its own. */
export type ReplyAgent = Agent & { readonly modelName?: string };

/**
 * Returns an agent that runs with the named model.
 *
 * @throws ApiError if the model does not exist or may not be used
 */
type ModelFinder = (name: string, caller: AgentCaller) => Promise<ReplyAgent>;

const FORM = /^(agent|model):(.+)$/s;

/**
 * Resolves `MessageEntity.answerer`, the agent or model that answered instead of the conversation's agent: `agent:7`,
 * or `model:provider/model`. It also answers the following messages until one names another.
 */
@Injectable()
export class ReplyAgents {
  private findModel: ModelFinder = () => Promise.reject(new AgentInactiveError());

  constructor(private readonly agents: AgentService) {}

  /** Registers the module that resolves model names. Call it in a constructor. */
  useModels(find: ModelFinder): void {
    this.findModel = find;
  }

  /**
   * @param answerer null for the agent of the conversation; the result is then null too
   * @throws ApiError if it is no longer available
   */
  async resolve(answerer: string | null, caller: AgentCaller): Promise<ReplyAgent | null> {
    const [, kind, name = ''] = FORM.exec(answerer ?? '') ?? [];
    if (kind === undefined) {
      return null;
    }
    return kind === 'agent' ? this.agents.resolveForSending(Number(name), caller) : this.findModel(name, caller);
  }

  /** Like `resolve`, but null if it is no longer available. The agent of the conversation then answers. */
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

/** The stored form of an answerer; null for the agent of the conversation. */
export function answererOf({ id, modelName }: ReplyAgent, ownAgentId: number): string | null {
  if (modelName !== undefined) {
    return `model:${modelName}`;
  }
  return id === ownAgentId ? null : `agent:${id}`;
}
