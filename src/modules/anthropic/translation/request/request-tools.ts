import { Injectable } from '@nestjs/common';
import type { ToolDefinition } from '../../../../integrations/llm/port/message-parts';
import type { Agent } from '../../../agent/agent.api';
import { NOT_TIGHTENED, ToolOffer } from '../../../generation/generation.api';

/** The agent's own tools, which the service runs. */
export interface AgentTools {
  /** The names of all tools that are not denied. The client's tools must have other names. */
  names: readonly string[];
  /** The names of those that the model is not offered, because no user can approve their calls here. */
  withheld: readonly string[];
}

/** Finds the own tools of agents. */
@Injectable()
export class RequestTools {
  constructor(private readonly offer: ToolOffer) {}

  /** @param hasClientReplies whether the request has replies of models */
  async of(agent: Agent, userId: number, hasClientReplies: boolean): Promise<AgentTools> {
    const offered = await this.offer.offered(agent, userId, NOT_TIGHTENED);
    const definitions = await this.definitionsOf(agent, userId, hasClientReplies);
    const withheld = offered.length === 0 ? [] : await this.offer.withheld(agent, userId, { hasClientReplies });
    const names = [...offered.map(({ tool }) => tool.name), ...definitions.map(({ name }) => name)];
    return { names: [...new Set(names)], withheld };
  }

  /** The own tools that the model is offered. */
  async definitionsOf(agent: Agent, userId: number, hasClientReplies: boolean): Promise<readonly ToolDefinition[]> {
    const offered = await this.offer.of(agent, userId, { isAlone: true, hasClientReplies });
    return offered?.options?.tools ?? [];
  }
}
