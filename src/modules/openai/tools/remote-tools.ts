import { Injectable } from '@nestjs/common';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import { McpServerError, type NamedRemote, RemoteServers } from '../../mcp/mcp.api';
import type { RemoteAccess, RemoteSecrets, RemoteServer } from '../../tool/tool.api';
import { ServerToolsUnavailableError, UnsupportedParameterError } from '../openai.errors';
import type { McpToolRequest, ToolRequest } from '../responses/request/tool-schema';

/** The maximum number of MCP servers in a request. The service first lists the tools of each. */
const MOST_SERVERS = 3;

interface FoundRemote {
  named: NamedRemote;
  field: string;
}

/** Reads the MCP servers that requests list by URL. */
@Injectable()
export class RemoteTools {
  constructor(private readonly servers: RemoteServers) {}

  /**
   * Lists the tools of each server; undefined: the request has no servers.
   *
   * @throws UnsupportedParameterError if requests may not define servers, InvalidParameterError,
   * ServerToolsUnavailableError
   */
  async open(userId: number, tools: readonly ToolRequest[], signal: AbortSignal): Promise<RemoteAccess | undefined> {
    const found = this.find(tools);
    if (found.length === 0) {
      return undefined;
    }
    for (const [index, { named, field }] of found.entries()) {
      const isDouble = found.findIndex((one) => one.named.label === named.label) < index;
      const fault = isDouble ? 'server_label' : await this.servers.faultOf(named);
      if (fault !== null) {
        throw new InvalidParameterError([
          { field: `${field}.${fault}`, reason: isDouble ? 'duplicate' : 'not_allowed' },
        ]);
      }
    }
    const opened = await Promise.all(found.map((one) => this.openOne(userId, one, signal)));
    return { servers: opened, secrets: found.map(({ named }) => named) };
  }

  /** The credentials of a request that has decisions. Makes no requests to the servers. */
  readCredentials(tools: readonly ToolRequest[]): RemoteSecrets {
    return this.find(tools).map(({ named }) => named);
  }

  private find(tools: readonly ToolRequest[]): FoundRemote[] {
    const found = tools.flatMap((tool, index) => {
      const field = `tools[${index}]`;
      return 'server_label' in tool ? this.read(tool, field) : [];
    });
    if (found.length > MOST_SERVERS) {
      throw new InvalidParameterError([
        { field: 'tools', reason: 'too_many_items', values: { maximum: MOST_SERVERS } },
      ]);
    }
    return found;
  }

  /** @throws UnsupportedParameterError */
  private read(tool: McpToolRequest, field: string): FoundRemote[] {
    const { server_label: label, server_url: url, connector_id, authorization, headers } = tool;
    const isNamed = url !== null && url !== undefined;
    const own = Object.entries({
      connector_id,
      ...(!(isNamed && this.servers.isOpen) && { url, authorization, headers }),
    });
    const [name] = own.find(([, value]) => value !== null && value !== undefined) ?? [];
    if (name !== undefined) {
      throw new UnsupportedParameterError(`${field}.${name === 'url' ? 'server_url' : name}`);
    }
    if (!isNamed) {
      return [];
    }
    const bearer: Record<string, string> = authorization ? { authorization: `Bearer ${authorization}` } : {};
    return [{ named: { label, url, headers: { ...headers, ...bearer } }, field }];
  }

  private async openOne(userId: number, { named, field }: FoundRemote, signal: AbortSignal): Promise<RemoteServer> {
    try {
      return await this.servers.open(userId, named, signal);
    } catch (error) {
      throw error instanceof McpServerError
        ? new ServerToolsUnavailableError(`${field}.server_url`, named.label)
        : error;
    }
  }
}

/** The request without credentials, which are never stored, not even in the fingerprint of an idempotency key. */
export function withoutCredentials<Request extends { tools: readonly ToolRequest[] }>(request: Request): Request {
  const tools = request.tools.map((tool) =>
    'server_label' in tool ? { ...tool, authorization: undefined, headers: undefined } : tool,
  );
  return { ...request, tools };
}
