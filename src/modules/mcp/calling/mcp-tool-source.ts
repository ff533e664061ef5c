import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { withoutInvisible } from '../../../common/text/invisible';
import type { ToolSchema } from '../../../common/tools/agent-tool.decorator';
import type { ToolPolicy } from '../../agent/agent.api';
import { type RegisteredTool, ToolRegistry, type ToolSource } from '../../tool/tool.api';
import { PrincipalService } from '../../user/user.api';
import { McpServerNotFoundError } from '../mcp.errors';
import { type McpServer, McpServerStore } from '../servers/mcp-server.store';
import { type McpTool, McpToolStore } from '../tools/mcp-tool.store';
import { sealOf, type ToolDefinition } from '../tools/tool-definition';
import { ToolListService } from '../tools/tool-list.service';
import { labelOf } from '../tools/tool-names';
import { McpCaller } from './mcp-caller';
import { SchemaChecker } from './schema-checker';

/** An approved tool of a server that is switched on. */
interface OfferedTool {
  server: McpServer;
  tool: McpTool;
  definition: ToolDefinition;
}

/** Gives agents the tools of servers: those that an administrator has approved, as they were when that was done. */
@Injectable()
export class McpToolSource implements ToolSource {
  constructor(
    private readonly servers: McpServerStore,
    private readonly tools: McpToolStore,
    private readonly lists: ToolListService,
    private readonly caller: McpCaller,
    private readonly checker: SchemaChecker,
    private readonly principals: PrincipalService,
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
      return offered === null ? [] : [this.toRegistered(offered)];
    });
  }

  async find(name: string, userId: number | null): Promise<RegisteredTool | undefined> {
    const servers = await this.servers.all();
    const tool = servers.length === 0 ? undefined : (await this.tools.approved()).get(name);
    const offered = tool === undefined ? null : offeredBy(servers, tool);
    if (offered === null || !(await this.isFor(offered.server, userId))) {
      return undefined;
    }
    this.lists.refreshBeside(offered.server);
    return this.toRegistered(offered);
  }

  async has(name: string): Promise<boolean> {
    return labelOf(name) !== null && this.tools.knows(name);
  }

  private async isFor({ groupIds }: McpServer, userId: number | null): Promise<boolean> {
    if (groupIds === null || userId === null) {
      return true;
    }
    const user = groupIds.length === 0 ? null : await this.principals.ofUser(userId);
    return user !== null && user.groupIds.some((id) => groupIds.includes(id));
  }

  private toRegistered(offered: OfferedTool): RegisteredTool {
    const { server, tool, definition } = offered;
    const { title = '', description = '', annotations = {} } = definition;
    const inputSchema = withoutInvisible(definition.inputSchema) as Record<string, unknown>;
    const readOnly = server.trustAnnotations && annotations.readOnlyHint === true;
    const idempotent = readOnly || (server.trustAnnotations && annotations.idempotentHint === true);
    return {
      name: tool.toldName,
      description: withoutInvisible([title, description].filter((text) => text !== '').join(': ')) as string,
      input: this.schemaOf(inputSchema),
      inputSchema,
      readOnly,
      idempotent,
      destructive: !readOnly,
      outside: true,
      timeoutSeconds: server.timeout,
      source: server.label,
      served: {
        label: server.label,
        pin: sealOf(server, tool.pin),
        policy: demandedBy(server, tool.name),
        host: new URL(server.url).host,
        faultIn: (schema, answer) => this.checker.check(schema, answer),
        renew: () => this.renew(server, readOnly),
        holds: (manager, pin) => this.holds(manager, offered, pin),
      },
      call: (input, context) => this.caller.call(server, { definition, isRepeatable: idempotent }, input, context),
    };
  }

  private schemaOf(schema: Record<string, unknown>): ToolSchema {
    const validate: ToolSchema['~standard']['validate'] = async (value) => {
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      const fault = isObject ? await this.checker.check(schema, value) : 'They are no object.';
      return fault === null ? { value } : { issues: [{ message: fault }] };
    };
    return { '~standard': { vendor: 'mcp', validate } };
  }

  /** Before a call with effects an old list is read again. @throws McpFailure */
  private async renew(server: McpServer, isReadOnly: boolean): Promise<void> {
    if (!isReadOnly && this.lists.isStale(server)) {
      await this.lists.refresh(server);
    }
  }

  /** Reads both rows as they are now, and locks them: nobody withdraws the tool before the call has begun. */
  private async holds(manager: EntityManager, { server, tool }: OfferedTool, pin: string): Promise<boolean> {
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

/** What the server's settings demand at least. */
function demandedBy({ policies }: McpServer, tool: string): ToolPolicy {
  return Object.hasOwn(policies, tool) ? (policies[tool] ?? 'auto') : 'auto';
}
