import { Injectable } from '@nestjs/common';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import type { Agent } from '../../agent/agent.api';
import { type RequestPolicies, ToolOffer } from '../../generation/generation.api';
import type { McpToolResource, ToolFilter } from '../responses/wire/response-settings';
import type { OfferedTool } from './offered-tools';
import { toldName } from './told-name';

/** A tool of an agent, which the service calls itself. */
export interface OwnTool {
  name: string;
  /** The module that it comes from. */
  label: string;
}

/** What a request makes of the tools of its agent. */
export interface OwnTools {
  tools: readonly OwnTool[];
  /** How the request tightens them. */
  policies: RequestPolicies;
}

interface RatedTool extends OwnTool {
  readOnly: boolean;
  /** As its server calls it. */
  ownName: string;
}

/** Between the label of a server and the name of its tool. */
const OF_SERVERS = '__';

/** Knows the tools of agents, as clients of OpenAI name them: those of a module as those of a server. */
@Injectable()
export class ActingTools {
  constructor(private readonly offer: ToolOffer) {}

  /**
   * @param servers entries of the request, each with the place where it stands
   * @param callers the tools that the caller executes
   * @throws InvalidParameterError for a module of which the agent has no tools, and for tools of one name
   */
  async of(
    agent: Agent,
    userId: number,
    servers: readonly { server: McpToolResource; field: string }[],
    callers: readonly OfferedTool[],
  ): Promise<OwnTools> {
    const all = (await this.offer.offered(agent, userId, {})).map(
      ({ tool: { name, source: label, readOnly, served } }) => ({
        ...{ name, label, readOnly, ownName: served === null ? name : name.slice(label.length + OF_SERVERS.length) },
      }),
    );
    const policies: Record<string, 'ask' | 'deny'> = {};
    for (const { server, field } of servers) {
      const tools = all.filter(({ label }) => label === server.server_label);
      if (tools.length === 0) {
        throw new InvalidParameterError([{ field: `${field}.server_label`, reason: 'not_allowed' }]);
      }
      for (const tool of tools) {
        const policy = isAllowed(tool, server) ? (asks(tool, server) ? 'ask' : null) : 'deny';
        if (policy !== null && policies[tool.name] !== 'deny') {
          policies[tool.name] = policy;
        }
      }
    }
    const tools = all.filter(({ name }) => policies[name] !== 'deny');
    const taken = new Set(tools.map(({ name }) => name));
    const double = callers.find(({ tool }) => taken.has(toldName(tool)));
    if (double !== undefined) {
      throw new InvalidParameterError([{ field: `${double.field}.name`, reason: 'duplicate' }]);
    }
    return { tools: tools.map(({ name, label }) => ({ name, label })), policies };
  }

  /** The tools of an agent, with the modules that they come from; null: it has none. */
  async labelsOf(agent: Agent, userId: number): Promise<Readonly<Record<string, string>> | null> {
    const { tools } = await this.of(agent, userId, [], []);
    return tools.length === 0 ? null : Object.fromEntries(tools.map(({ name, label }) => [name, label]));
  }

  /** Tools that a caller is not offered whom nobody can ask. */
  async withheld(agent: Agent, userId: number, policies: RequestPolicies): Promise<string[]> {
    return (await this.offer.offered(agent, userId, policies)).flatMap(({ tool, policy }) =>
      policy === 'ask' ? [tool.name] : [],
    );
  }
}

function isAllowed(tool: RatedTool, { allowed_tools: allowed }: McpToolResource): boolean {
  if (allowed === null || allowed === undefined) {
    return true;
  }
  return Array.isArray(allowed) ? allowed.includes(tool.ownName) : matches(tool, allowed);
}

/** As at OpenAI, what an object does not name among those that need no approval needs it. Nothing is loosened. */
function asks(tool: RatedTool, { require_approval: wish }: McpToolResource): boolean {
  if (typeof wish !== 'object' || wish === null) {
    return wish === 'always';
  }
  const { always, never } = wish;
  return (always !== undefined && matches(tool, always)) || (never !== undefined && !matches(tool, never));
}

function matches({ ownName, readOnly }: RatedTool, { tool_names, read_only }: ToolFilter): boolean {
  return (tool_names?.includes(ownName) ?? true) && (read_only === undefined || read_only === readOnly);
}
