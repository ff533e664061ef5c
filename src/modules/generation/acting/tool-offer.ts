import { Injectable } from '@nestjs/common';
import type { ToolDefinition } from '../../../integrations/llm/port/message-parts';
import { ModelInputs } from '../../../integrations/llm/providers/model-inputs';
import type { Agent, ToolPolicy } from '../../agent/agent.api';
import { type RegisteredTool, type RemoteAccess, ToolRegistry } from '../../tool/tool.api';
import { type GenerationOptions, type GenerationTask, NO_OPTIONS } from '../reply/generation-task';
import { NOT_TIGHTENED, type PolicyOverrides } from '../reply/policy-overrides';
import { ActingConfig } from './acting.config';
import { type AppliedPolicy, policyOf, tightened } from './tool-policy';

/** How a request changes the tools of its agent. */
interface OfferOptions {
  tightening?: PolicyOverrides | undefined;
  asked?: GenerationOptions | null;
  isAlone?: boolean;
  /** Whether the client sends earlier replies itself. They may contain untrusted content. */
  hasClientReplies?: boolean;
  /** MCP servers that the request names itself. */
  remote?: RemoteAccess | undefined;
}

/** A tool and its policy. */
interface Offered {
  tool: RegisteredTool;
  policy: ToolPolicy;
}

/** Selects the tools that an agent's model is offered. */
@Injectable()
export class ToolOffer {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly inputs: ModelInputs,
    private readonly config: ActingConfig,
  ) {}

  /**
   * What a reply of the agent needs to call tools. Null: the agent has no tools, or none of its models supports them.
   *
   * @param userId the user who sends the request
   * @param wish how the request tightens policies, its options with the client's own functions, and whether approval is
   *   impossible (`isAlone`): tools that need approval are then not offered
   */
  async of(
    agent: Agent,
    userId: number,
    { tightening = NOT_TIGHTENED, asked = null, isAlone = false, hasClientReplies = false, remote }: OfferOptions,
  ): Promise<Required<Pick<GenerationTask, 'acting' | 'options'>> | null> {
    const callers = (asked?.tools ?? []).map(({ name }) => name);
    const offered = await this.offered(agent, userId, tightening, remote);
    const isTainted = hasClientReplies && this.readsOutside(offered);
    const withheld = isAlone ? this.needingApproval(agent, offered, isTainted) : [];
    const tools = offered
      .filter(({ tool }) => !callers.includes(tool.name) && !withheld.includes(tool.name))
      .map(({ tool }): ToolDefinition => {
        const { name, description, inputSchema: parameters } = tool;
        return { name, description, parameters, strict: null };
      });
    if (tools.length === 0) {
      return null;
    }
    const options: GenerationOptions = { ...(asked ?? NO_OPTIONS), tools: [...(asked?.tools ?? []), ...tools] };
    const state = { ...(isAlone && { isAlone }), ...(isTainted && { isTainted }), ...(remote && { remote }) };
    return { acting: { ...tightening, callers, ...state }, options };
  }

  /** The names of the tools that a request is not offered because approval is impossible there. */
  async withheld(
    agent: Agent,
    userId: number,
    { tightening = NOT_TIGHTENED, hasClientReplies = false, remote }: Omit<OfferOptions, 'asked' | 'isAlone'>,
  ): Promise<string[]> {
    const offered = await this.offered(agent, userId, tightening, remote);
    return this.needingApproval(agent, offered, hasClientReplies && this.readsOutside(offered));
  }

  private readsOutside(offered: readonly Offered[]): boolean {
    return this.config.TAINT_RULE && offered.some(({ tool }) => tool.outside);
  }

  private needingApproval({ outsideReads }: Agent, offered: readonly Offered[], isTainted: boolean): string[] {
    const known = outsideReads === 'auto' ? null : new Set<string>();
    return offered.flatMap(({ tool, policy }) => {
      const applied: AppliedPolicy = { policy, approver: 'user' };
      return (isTainted ? tightened(applied, tool, known) : applied).policy === 'ask' ? [tool.name] : [];
    });
  }

  /**
   * The tools of the agent that are not denied, with their policies. Empty if none of its models supports tools.
   *
   * @param remote the MCP servers that the request names, with their tools
   */
  async offered(agent: Agent, userId: number, tightening: PolicyOverrides, remote?: RemoteAccess): Promise<Offered[]> {
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
