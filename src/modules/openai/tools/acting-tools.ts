import { Injectable } from '@nestjs/common';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import type { Agent } from '../../agent/agent.api';
import { NOT_TIGHTENED, type PolicyOverrides, type SourceRule, ToolOffer } from '../../generation/generation.api';
import type { RemoteAccess } from '../../tool/tool.api';
import type { McpToolResource } from '../responses/wire/response-settings';
import { modelToolName } from './model-tool-name';
import type { OfferedTool } from './offered-tools';

/** A tool of an agent, which the service calls itself. */
export interface OwnTool {
  /** As models are told it. */
  name: string;
  /** The module or server that it comes from. */
  label: string;
  /** As that calls it. */
  ownName: string;
  description: string;
  inputSchema: Record<string, unknown>;
  readOnly: boolean;
  /** Whether the request brings it. */
  isRemote: boolean;
}

/** What a request makes of the tools of its agent. */
export interface OwnTools {
  tools: readonly OwnTool[];
  tightening: PolicyOverrides;
}

/** An entry of a request, with the place where it stands. */
export interface NamedServer {
  server: McpToolResource;
  field: string;
}

/** Knows the tools of agents, as clients of OpenAI name them: those of a module as those of a server. */
@Injectable()
export class ActingTools {
  constructor(private readonly offer: ToolOffer) {}

  /**
   * @param callers the tools that the caller executes
   * @throws InvalidParameterError for a module or server of which the agent has no tools, and for tools of one name
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
    // A server that the request brings has a label that nobody else has; the others are there.
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

  /** What models are told must say which tool is meant. @throws InvalidParameterError */
  private refuseEqual(tools: readonly OwnTool[], servers: readonly NamedServer[]): void {
    const double = tools.find(({ name }, index) => tools.findIndex((tool) => tool.name === name) < index);
    const named = double && servers.find(({ server }) => server.server_label === double.label);
    if (named !== undefined) {
      throw new InvalidParameterError([{ field: `${named.field}.server_label`, reason: 'duplicate' }]);
    }
  }

  /** The tools of an agent that are not denied. @param remote servers that the request brings */
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

  /** Tools that a caller is not offered whom nobody can ask. @param turns what the caller sends, also as replies of models */
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

/** Whether turns of a client have replies of models. */
export function hasReplies(turns: readonly { role: string }[]): boolean {
  return turns.some(({ role }) => role === 'assistant');
}

function ruleOf({ server_label: source, allowed_tools, require_approval: wish }: McpToolResource): SourceRule {
  const allowed = Array.isArray(allowed_tools) ? { tool_names: allowed_tools } : (allowed_tools ?? null);
  const asks = typeof wish === 'object' ? wish : wish === 'always' ? 'all' : null;
  return { source, allowed, asks };
}
