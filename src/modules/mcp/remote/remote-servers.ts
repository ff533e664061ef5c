import { Injectable } from '@nestjs/common';
import { areHeaders, isServerUrl } from '../../../common/network/server-rules';
import { withoutInvisible } from '../../../common/text/invisible';
import { ToolError } from '../../../common/tools/tool.error';
import { ForbiddenTargetError } from '../../../integrations/outbound-http/target-guard';
import {
  type RegisteredTool,
  type RemoteSecrets,
  type RemoteServer,
  type RemoteTool,
  type RemoteToolMaker,
  ToolRegistry,
} from '../../tool/tool.api';
import { McpCaller } from '../calling/mcp-caller';
import { SchemaChecker } from '../calling/schema-checker';
import { McpConfig } from '../mcp.config';
import { McpServerError } from '../mcp.errors';
import type { ForeignAccess } from '../protocol/mcp-exchange';
import { McpFailure } from '../protocol/mcp-failure';
import { McpHttp } from '../protocol/mcp-http';
import { type McpToolDefinition, pinOf, sha256 } from '../protocol/tool-definition';
import { ToolListReader } from '../protocol/tool-list-reader';
import { type McpServer, McpServerStore } from '../servers/mcp-server.store';
import { labelledToolName } from '../tools/tool-names';
import { problemsOf } from '../tools/tool-problems';

const TIMEOUT_SECONDS = 60;

const NOT_SIGNED_IN =
  'The call was not made: its server asks for a sign-in, which is not kept, and was not sent with the decision.';

/** The data of such a server in a request. */
export type NamedRemote = RemoteSecrets[number];

/**
 * MCP servers that requests define by URL. They must be on public hosts, and nothing about them is approved or stored.
 */
@Injectable()
export class RemoteServers implements RemoteToolMaker {
  constructor(
    private readonly config: McpConfig,
    private readonly http: McpHttp,
    private readonly reader: ToolListReader,
    private readonly caller: McpCaller,
    private readonly checker: SchemaChecker,
    private readonly servers: McpServerStore,
    registry: ToolRegistry,
  ) {
    registry.useRemote(this);
  }

  /** Whether requests may define servers. */
  get isOpen(): boolean {
    return this.config.MCP_REMOTE_URLS;
  }

  /** The invalid member of a server definition; null: none. Sends no request. */
  async faultOf({ label, url, headers }: NamedRemote): Promise<'server_label' | 'server_url' | 'headers' | null> {
    if (!/^(?!.*__)[A-Za-z0-9_-]{1,32}$/.test(label) || (await this.servers.all()).some((one) => one.label === label)) {
      return 'server_label';
    }
    if (!areHeaders(headers)) {
      return 'headers';
    }
    return isServerUrl(url) && (await this.isPublic(new URL(url))) ? null : 'server_url';
  }

  /**
   * Lists the tools of a server, without those that cannot be called safely.
   *
   * @throws McpServerError
   */
  async open(userId: number, named: NamedRemote, signal: AbortSignal): Promise<RemoteServer> {
    const tools = await this.list(userId, named, signal);
    const names = new Map<string, number>();
    tools.forEach(({ name }) => names.set(name, (names.get(name) ?? 0) + 1));
    const distinct = tools.filter(({ name }) => names.get(name) === 1);
    const { label, url, headers } = named;
    return { label, url, hasSecret: Object.keys(headers).length > 0, tools: distinct };
  }

  toolOf(
    server: RemoteServer,
    { name, pin, definition: listed }: RemoteTool,
    { userId, secret }: Parameters<RemoteToolMaker['toolOf']>[2],
  ): RegisteredTool {
    const definition = listed as McpToolDefinition;
    const { title = '', description = '' } = definition;
    const inputSchema = withoutInvisible(definition.inputSchema) as Record<string, unknown>;
    const { label, url } = server;
    const named: NamedRemote = secret ?? { label, url, headers: {} };
    const access = accessTo(userId ?? 0, named);
    let isSame = false;
    const renew = async (): Promise<void> => {
      if (server.hasSecret && secret === null) {
        throw new ToolError(NOT_SIGNED_IN);
      }
      const present = await this.list(userId ?? 0, named);
      isSame =
        present
          .filter((tool) => tool.name === name)
          .map((tool) => tool.pin)
          .join() === pin;
    };
    return {
      name,
      description: withoutInvisible([title, description].filter((text) => text !== '').join(': ')) as string,
      input: this.checker.schemaOf(inputSchema),
      inputSchema,
      readOnly: false,
      idempotent: false,
      destructive: true,
      outside: true,
      timeoutSeconds: TIMEOUT_SECONDS,
      source: label,
      served: {
        label,
        name: definition.name,
        pin,
        policy: 'ask',
        isRemote: true,
        renew,
        host: new URL(url).host,
        faultIn: (schema, answer) => this.checker.check(schema, answer),
        holds: (_manager, asked) => Promise.resolve(isSame && asked === pin),
      },
      call: (input, context) =>
        this.caller.call(targetOf(named), { definition, isRepeatable: false, access }, input, context),
    };
  }

  private async list(userId: number, named: NamedRemote, signal?: AbortSignal): Promise<RemoteTool[]> {
    try {
      const { tools } = await this.reader.read(targetOf(named), userId, { access: accessTo(userId, named), signal });
      return tools.flatMap(({ name, definition, needsTask }) =>
        definition === null || needsTask || problemsOf(definition).length > 0
          ? []
          : [
              {
                name: labelledToolName(named.label, name),
                pin: sha256(`${named.url} ${pinOf(definition)}`),
                definition,
              },
            ],
      );
    } catch (error) {
      throw error instanceof McpFailure ? new McpServerError(error.fault) : error;
    }
  }

  private async isPublic(url: URL): Promise<boolean> {
    try {
      await this.http.checkForeign(url);
      return true;
    } catch (error) {
      if (error instanceof ForbiddenTargetError) {
        return false;
      }
      throw error;
    }
  }
}

/** The key separates users, so that the protocol state of one user is never used for another. */
function accessTo(userId: number, { url, headers }: NamedRemote): ForeignAccess {
  return { key: `${userId} ${url}`, headers };
}

/** Metrics count all such servers as one. */
function targetOf({ url }: NamedRemote): McpServer {
  const target = {
    id: 0,
    label: 'remote',
    url,
    auth: 'none',
    timeout: TIMEOUT_SECONDS,
    protocol: 'auto',
    elicitation: 'off',
    updatedAt: new Date(0),
  };
  return target as McpServer;
}
