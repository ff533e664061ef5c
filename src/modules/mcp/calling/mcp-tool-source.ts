import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { withoutInvisible } from '../../../common/text/invisible';
import type { ToolPolicy } from '../../agent/agent.api';
import { type RegisteredTool, type ToolOrigin, ToolRegistry, type ToolSource } from '../../tool/tool.api';
import { PrincipalService } from '../../user/user.api';
import { ServerAuthorization } from '../connections/server-authorization';
import { McpServerNotFoundError } from '../mcp.errors';
import { type McpToolDefinition, sealOf } from '../protocol/tool-definition';
import { isOfUser } from '../servers/mcp-server.entity';
import { type McpServer, McpServerStore } from '../servers/mcp-server.store';
import { type McpTool, McpToolStore } from '../tools/mcp-tool.store';
import { ToolListService } from '../tools/tool-list.service';
import { labelOf, SEPARATOR } from '../tools/tool-names';
import { UserToolLists } from '../tools/user-tool-lists';
import { McpCaller } from './mcp-caller';
import { SchemaChecker } from './schema-checker';

/** An approved tool of an active server. */
interface OfferedTool {
  server: McpServer;
  tool: McpTool;
  definition: McpToolDefinition;
}

/** Provides agents with the approved tools of MCP servers, with their definitions at the time of approval. */
@Injectable()
export class McpToolSource implements ToolSource {
  constructor(
    private readonly servers: McpServerStore,
    private readonly tools: McpToolStore,
    private readonly lists: ToolListService,
    private readonly userLists: UserToolLists,
    private readonly caller: McpCaller,
    private readonly checker: SchemaChecker,
    private readonly principals: PrincipalService,
    private readonly authorization: ServerAuthorization,
    registry: ToolRegistry,
  ) {
    registry.addSource(this);
  }

  async list(): Promise<RegisteredTool[]> {
    const servers = await this.servers.all();
    if (servers.length === 0) {
      return [];
    }
    const tools = await this.tools.approved();
    return [...tools.values()].flatMap((tool) => {
      const offered = offeredBy(servers, tool);
      return offered === null ? [] : [this.toRegistered(offered, null)];
    });
  }

  async find(name: string, userId: number | null): Promise<RegisteredTool | undefined> {
    const servers = await this.servers.all();
    const tool = servers.length === 0 ? undefined : (await this.tools.approved()).get(name);
    const offered = tool === undefined ? null : offeredBy(servers, tool);
    if (offered === null || !(await this.isFor(offered.server, userId))) {
      return undefined;
    }
    const { server } = offered;
    const reader = readerOf(server, userId);
    if (reader === null) {
      this.lists.refreshInBackground(server);
    } else if (this.userLists.contradicts(server, reader, offered.tool.pin)) {
      return undefined;
    } else {
      this.userLists.refreshInBackground(server, reader);
    }
    return this.toRegistered(offered, userId);
  }

  async has(name: string): Promise<boolean> {
    return labelOf(name) !== null && this.tools.knows(name);
  }

  async originOf(name: string): Promise<ToolOrigin | null> {
    const label = labelOf(name);
    if (label === null) {
      return null;
    }
    const tool = (await this.tools.approved()).get(name);
    const server = (await this.servers.all()).find(({ id }) => id === tool?.serverId);
    // A tool that is no longer approved gets its name from the prompt.
    return { source: server?.label ?? label, name: tool?.name ?? name.slice(label.length + SEPARATOR.length) };
  }

  async isConnected(label: string, userId: number, scopes: readonly string[]): Promise<boolean> {
    const server = (await this.servers.all()).find((one) => one.label === label);
    return server?.isActive === true && (await this.authorization.isGiven(server, userId, scopes));
  }

  private async isFor({ groupIds }: McpServer, userId: number | null): Promise<boolean> {
    if (groupIds === null || userId === null) {
      return true;
    }
    const user = groupIds.length === 0 ? null : await this.principals.activeUser(userId);
    return user !== null && user.groupIds.some((id) => groupIds.includes(id));
  }

  private toRegistered(offered: OfferedTool, userId: number | null): RegisteredTool {
    const { server, tool, definition } = offered;
    const { title = '', description = '', annotations = {} } = definition;
    const inputSchema = withoutInvisible(definition.inputSchema) as Record<string, unknown>;
    const readOnly = server.trustAnnotations && annotations.readOnlyHint === true;
    const idempotent = readOnly || (server.trustAnnotations && annotations.idempotentHint === true);
    return {
      name: tool.modelName,
      description: withoutInvisible([title, description].filter((text) => text !== '').join(': ')) as string,
      input: this.checker.schemaOf(inputSchema),
      inputSchema,
      readOnly,
      idempotent,
      destructive: !readOnly,
      outside: true,
      timeoutSeconds: server.timeout,
      source: server.label,
      served: {
        label: server.label,
        name: tool.name,
        pin: sealOf(server, tool.pin),
        policy: demandedBy(server, tool.name, readOnly),
        host: new URL(server.url).host,
        faultIn: (schema, answer) => this.checker.check(schema, answer),
        renew: () => this.renew(server, readOnly, userId),
        holds: (manager, pin) => this.holds(manager, offered, pin, userId),
      },
      call: (input, context) => this.caller.call(server, { definition, isRepeatable: idempotent }, input, context),
    };
  }

  /**
   * Reads an outdated list again before a call with effects.
   *
   * @throws McpFailure
   */
  private async renew(server: McpServer, isReadOnly: boolean, userId: number | null): Promise<void> {
    const reader = readerOf(server, userId);
    if (reader !== null) {
      await this.userLists.refresh(server, reader);
    } else if (!isReadOnly && !isOfUser(server.auth) && this.lists.isStale(server)) {
      await this.lists.refresh(server, null);
    }
  }

  /** Reads and locks the current rows, so that the tool cannot be withdrawn before the call starts. */
  private async holds(
    manager: EntityManager,
    { server, tool }: OfferedTool,
    pin: string,
    userId: number | null,
  ): Promise<boolean> {
    const reader = readerOf(server, userId);
    if (reader !== null && this.userLists.contradicts(server, reader, tool.pin)) {
      return false;
    }
    try {
      const present = await this.servers.lock(manager, server.id);
      const found = await this.tools.find(manager, tool.id);
      return found !== null && offeredBy([present], found) !== null && sealOf(present, found.pin) === pin;
    } catch (error) {
      if (error instanceof McpServerNotFoundError) {
        return false;
      }
      throw error;
    }
  }
}

function offeredBy(servers: readonly McpServer[], tool: McpTool): OfferedTool | null {
  const server = servers.find(({ id }) => id === tool.serverId);
  const { state, approvedDefinition: definition } = tool;
  const isOffered = server?.isActive === true && (server.allowedTools?.includes(tool.name) ?? true);
  return isOffered && state === 'approved' && definition !== null ? { server, tool, definition } : null;
}

/** The user whose list is read, for a server with a list per user; null: all users share one list. */
function readerOf({ auth }: McpServer, userId: number | null): number | null {
  return isOfUser(auth) ? userId : null;
}

/**
 * The minimum policy from the server's settings. Tools that act with the service's account require approval unless they
 * are read-only.
 */
function demandedBy({ policies, auth }: McpServer, tool: string, isReadOnly: boolean): ToolPolicy {
  const policy = Object.hasOwn(policies, tool) ? (policies[tool] ?? 'auto') : 'auto';
  return policy === 'auto' && auth === 'oauth_service' && !isReadOnly ? 'ask' : policy;
}
