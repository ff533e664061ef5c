import { Injectable } from '@nestjs/common';
import type { ToolDefinition } from '../../../integrations/llm/port/message-parts';
import { ModelInputs } from '../../../integrations/llm/providers/model-inputs';
import type { Agent, ToolPolicy } from '../../agent/agent.api';
import { type RegisteredTool, ToolRegistry } from '../../tool/tool.api';
import { type GenerationOptions, NO_OPTIONS } from '../reply/generation-options';
import type { GenerationTask } from '../reply/generation-task';
import { policyOf, type RequestPolicies } from './tool-policy';

/** What a request wants of the tools of its agent. */
interface OfferWish {
  policies?: RequestPolicies | undefined;
  asked?: GenerationOptions | null;
  isAlone?: boolean;
}

/** Tells which tools an agent's model is offered. */
@Injectable()
export class ToolOffer {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly inputs: ModelInputs,
  ) {}

  /**
   * What a reply of the agent needs to call tools; null: it has none, or none of its models calls functions.
   *
   * @param userId whose request it is
   * @param wish what it asks for: tighter policies, how a program wants it answered, with functions of its own, and whether
   *   nobody can be asked: then tools that would ask are not offered
   */
  async of(
    agent: Agent,
    userId: number,
    { policies = {}, asked = null, isAlone = false }: OfferWish,
  ): Promise<Required<Pick<GenerationTask, 'acting' | 'options'>> | null> {
    const callers = (asked?.tools ?? []).map(({ name }) => name);
    const tools = (await this.offered(agent, userId, policies))
      .filter(({ tool, policy }) => !callers.includes(tool.name) && !(isAlone && policy === 'ask'))
      .map(({ tool }): ToolDefinition => {
        const { name, description, inputSchema: parameters } = tool;
        return { name, description, parameters, strict: null };
      });
    if (tools.length === 0) {
      return null;
    }
    const options: GenerationOptions = { ...(asked ?? NO_OPTIONS), tools: [...(asked?.tools ?? []), ...tools] };
    return { acting: { policies, callers, ...(isAlone && { isAlone }) }, options };
  }

  /** The tools of an agent whose models call functions, and whether they ask, without those that are denied. */
  async offered(
    agent: Agent,
    userId: number,
    policies: RequestPolicies,
  ): Promise<{ tool: RegisteredTool; policy: ToolPolicy }[]> {
    const { tools } = agent;
    if (!tools?.length || this.inputs.missing(agent).has('tools')) {
      return [];
    }
    const found = await Promise.all(tools.map(({ name }) => this.registry.find(name, userId)));
    return found.flatMap((tool) => {
      const { policy } = tool === undefined ? { policy: 'deny' as const } : policyOf(tools, tool, policies);
      return tool === undefined || policy === 'deny' ? [] : [{ tool, policy }];
    });
  }
}
