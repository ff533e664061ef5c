import { Injectable } from '@nestjs/common';
import type { ToolDefinition } from '../../../integrations/llm/port/message-parts';
import { ModelInputs } from '../../../integrations/llm/providers/model-inputs';
import type { Agent, ToolPolicy } from '../../agent/agent.api';
import { type RegisteredTool, type RemoteAccess, ToolRegistry } from '../../tool/tool.api';
import { type GenerationOptions, NO_OPTIONS } from '../reply/generation-options';
import type { GenerationTask } from '../reply/generation-task';
import { NOT_TIGHTENED, policyOf, type Tightening } from './tool-policy';

/** What a request wants of the tools of its agent. */
interface OfferWish {
  tightening?: Tightening | undefined;
  asked?: GenerationOptions | null;
  isAlone?: boolean;
  /** Servers that it names itself. */
  remote?: RemoteAccess | undefined;
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
   * @param wish what it asks for: how it tightens policies, how a program wants it answered, with functions of its own, and whether
   *   nobody can be asked: then tools that would ask are not offered
   */
  async of(
    agent: Agent,
    userId: number,
    { tightening = NOT_TIGHTENED, asked = null, isAlone = false, remote }: OfferWish,
  ): Promise<Required<Pick<GenerationTask, 'acting' | 'options'>> | null> {
    const callers = (asked?.tools ?? []).map(({ name }) => name);
    const tools = (await this.offered(agent, userId, tightening, remote))
      .filter(({ tool, policy }) => !callers.includes(tool.name) && !(isAlone && policy === 'ask'))
      .map(({ tool }): ToolDefinition => {
        const { name, description, inputSchema: parameters } = tool;
        return { name, description, parameters, strict: null };
      });
    if (tools.length === 0) {
      return null;
    }
    const options: GenerationOptions = { ...(asked ?? NO_OPTIONS), tools: [...(asked?.tools ?? []), ...tools] };
    return { acting: { ...tightening, callers, ...(isAlone && { isAlone }), ...(remote && { remote }) }, options };
  }

  /** The tools of an agent whose models call functions, and whether they ask, without those that are denied. @param remote with its tools */
  async offered(
    agent: Agent,
    userId: number,
    tightening: Tightening,
    remote?: RemoteAccess,
  ): Promise<{ tool: RegisteredTool; policy: ToolPolicy }[]> {
    const tools = agent.tools ?? [];
    const brought = (remote?.servers ?? []).flatMap((server) => server.tools);
    if (tools.length + brought.length === 0 || this.inputs.missing(agent).has('tools')) {
      return [];
    }
    const found = await Promise.all([...tools, ...brought].map(({ name }) => this.registry.find(name, userId, remote)));
    return found.flatMap((tool) => {
      const { policy } = tool === undefined ? { policy: 'deny' as const } : policyOf(tools, tool, tightening);
      return tool === undefined || policy === 'deny' ? [] : [{ tool, policy }];
    });
  }
}
