import { Injectable } from '@nestjs/common';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import type { Agent } from '../../agent/agent.api';
import {
  modelToolName,
  NOT_TIGHTENED,
  type PolicyOverrides,
  type SourceRule,
  ToolOffer,
} from '../../generation/generation.api';
import type { RemoteAccess } from '../../tool/tool.api';
import type { McpToolResource } from '../responses/wire/response-settings';
import type { OfferedTool } from './offered-tools';

/** A tool of an agent that the service calls. */
export interface OwnTool {
  /** The name in the prompt. */
  name: string;
  /** The module or MCP server of the tool. */
  label: string;
  /** The name at the module or MCP server. */
  ownName: string;
  description: string;
  inputSchema: Record<string, unknown>;
  readOnly: boolean;
  /** Whether it belongs to an MCP server that only the request defines. */
  isRemote: boolean;
}

/** The tools of the agent after the settings of a request. */
export interface OwnTools {
  tools: readonly OwnTool[];
  tightening: PolicyOverrides;
}

/** A tool entry of a request, with its path. */
export interface NamedServer {
  server: McpToolResource;
  field: string;
}

/** Returns the tools of agents in OpenAI's format, in which modules and MCP servers look the same. */
@Injectable()
export class ActingTools {
  constructor(private readonly offer: ToolOffer) {}

  /**
   * @param callers the tools that the client runs
   * @throws InvalidParameterError for a module or MCP server without tools of the agent, and for tools with equal names
   */
  async of(
    agent: Agent,
    userId: number,
    servers: readonly NamedServer[],
    callers: readonly OfferedTool[],
    remote?: RemoteAccess,
  ): Promise<OwnTools> {
    const all = servers.length === 0 ? [] : await this.offered(agent, userId, NOT_TIGHTENED, remote);
    const labels = new Set(all.flatMap(({ label, isRemote }) => (isRemote ? [] : [label])));
    // The label of a server defined by the request must be new; any other label must exist.
    const unknown = servers.find(({ server }) => labels.has(server.server_label) === (server.server_url !== undefined));
    if (unknown !== undefined) {
      throw new InvalidParameterError([{ field: `${unknown.field}.server_label`, reason: 'not_allowed' }]);
    }
    const rules = servers.map(({ server }) => ruleOf(server));
    const tightening = rules.length === 0 ? NOT_TIGHTENED : { policies: {}, rules };
    const tools = await this.offered(agent, userId, tightening, remote);
    this.refuseEqual(tools, servers);
    const taken = new Set(tools.map(({ name }) => name));
    const double = callers.find(({ tool }) => taken.has(modelToolName(tool)));
    if (double !== undefined) {
      throw new InvalidParameterError([{ field: `${double.field}.name`, reason: 'duplicate' }]);
    }
    return { tools, tightening };
  }

  /**
   * Prompt names must be unique.
   *
   * @throws InvalidParameterError
   */
  private refuseEqual(tools: readonly OwnTool[], servers: readonly NamedServer[]): void {
    const double = tools.find(({ name }, index) => tools.findIndex((tool) => tool.name === name) < index);
    const named = double && servers.find(({ server }) => server.server_label === double.label);
    if (named !== undefined) {
      throw new InvalidParameterError([{ field: `${named.field}.server_label`, reason: 'duplicate' }]);
    }
  }

  /**
   * The tools of an agent that are not denied.
   *
   * @param remote the MCP servers that the request defines
   */
  async offered(agent: Agent, userId: number, tightening: PolicyOverrides, remote?: RemoteAccess): Promise<OwnTool[]> {
    return (await this.offer.offered(agent, userId, tightening, remote)).map(({ tool }) => {
      const { name, source: label, served, description, inputSchema, readOnly } = tool;
      return {
        name,
        label,
        ownName: served?.name ?? name,
        description,
        inputSchema,
        readOnly,
        isRemote: served?.isRemote === true,
      };
    });
  }

  /**
   * Tools to withhold because no approval can be requested for them.
   *
   * @param turns the client's turns, including replies of models
   */
  withheld(
    agent: Agent,
    userId: number,
    {
      turns,
      ...wish
    }: { tightening: PolicyOverrides; turns: readonly { role: string }[]; remote?: RemoteAccess | undefined },
  ): Promise<string[]> {
    return this.offer.withheld(agent, userId, { ...wish, hasClientReplies: hasReplies(turns) });
  }
}

/** Whether a client's turns have replies of models. */
export function hasReplies(turns: readonly { role: string }[]): boolean {
  return turns.some(({ role }) => role === 'assistant');
}

function ruleOf({ server_label: source, allowed_tools, require_approval: wish }: McpToolResource): SourceRule {
  const allowed = Array.isArray(allowed_tools) ? { tool_names: allowed_tools } : (allowed_tools ?? null);
  const asks = typeof wish === 'object' ? wish : wish === 'always' ? 'all' : null;
  return { source, allowed, asks };
}
