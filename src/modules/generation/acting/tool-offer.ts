import { Injectable } from '@nestjs/common';
import type { ToolDefinition } from '../../../integrations/llm/port/message-parts';
import { ModelInputs } from '../../../integrations/llm/providers/model-inputs';
import type { Agent } from '../../agent/agent.api';
import { ToolRegistry } from '../../tool/tool.api';
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

  /** What a reply of the agent needs to call tools; null: it has none, or none of its models calls functions. */
  async of(
    agent: Agent,
    userId: number,
    policies: RequestPolicies = {},
  ): Promise<Pick<GenerationTask, 'acting' | 'options'> | null> {
    const { tools } = agent;
    if (!tools?.length || this.inputs.missing(agent).has('tools')) {
      return null;
    }
    const found = await Promise.all(tools.map(({ name }) => this.registry.find(name, userId)));
    const offered = found.flatMap((tool): ToolDefinition[] => {
      return tool === undefined || policyOf(tools, tool, policies).policy === 'deny'
        ? []
        : [{ name: tool.name, description: tool.description, parameters: tool.inputSchema, strict: null }];
    });
    const options: GenerationOptions = { ...NO_OPTIONS, tools: offered };
    return offered.length === 0 ? null : { acting: { policies }, options };
  }
}
