import { Injectable } from '@nestjs/common';
import type { ToolDefinition } from '../../../integrations/llm/port/message-parts';
import { ModelInputs } from '../../../integrations/llm/providers/model-inputs';
import type { Agent, ToolPolicy } from '../../agent/agent.api';
import { type RegisteredTool, ToolRegistry } from '../../tool/tool.api';
import { type GenerationOptions, NO_OPTIONS } from '../reply/generation-options';
import type { GenerationTask } from '../reply/generation-task';
import { policyOf, type RequestPolicies } from './tool-policy';

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
   * @param asked how a program wants it answered, with functions of its own
   * @param isAlone whether nobody can be asked: tools that would ask are not offered
   */
  of(
    agent: Agent,
    policies: RequestPolicies = {},
    asked: GenerationOptions | null = null,
    isAlone = false,
  ): Required<Pick<GenerationTask, 'acting' | 'options'>> | null {
    const callers = (asked?.tools ?? []).map(({ name }) => name);
    const tools = this.offered(agent, policies)
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
  offered(agent: Agent, policies: RequestPolicies): { tool: RegisteredTool; policy: ToolPolicy }[] {
    const { tools } = agent;
    if (!tools?.length || this.inputs.missing(agent).has('tools')) {
      return [];
    }
    return tools.flatMap(({ name }) => {
      const tool = this.registry.find(name);
      const { policy } = tool === undefined ? { policy: 'deny' as const } : policyOf(tools, tool, policies);
      return tool === undefined || policy === 'deny' ? [] : [{ tool, policy }];
    });
  }
}
