import { isDeepStrictEqual } from 'node:util';
import { Injectable, OnModuleInit } from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { GenericSchema } from 'valibot';
import { fileOf } from '../../../common/features/feature.decorator';
import { FeatureError } from '../../../common/features/feature.error';
import { loadPackage } from '../../../common/load-package';
import { inexactIntegerIn } from '../../../common/text/strict-json';
import {
  TOOL_METADATA,
  type ToolContext,
  type ToolOptions,
  type ToolSchema,
} from '../../../common/tools/agent-tool.decorator';
import { AgentTools } from '../../agent/agent.api';
import {
  type ArgumentFault,
  FILE_SEARCH,
  type ReadArguments,
  type RegisteredTool,
  SEARCH_KNOWLEDGE,
  type ToolOrigin,
  type ToolSource,
} from './registered-tool';

/** An MCP server that a request names by URL. No administrator has approved it, so all its tools need approval. */
export interface RemoteServer {
  label: string;
  url: string;
  /** Whether the request sent credentials for it. They are not stored. */
  hasSecret: boolean;
  tools: readonly RemoteTool[];
}

/** A tool as the server listed it for the request. */
export interface RemoteTool {
  /** The name that the model receives. */
  name: string;
  pin: string;
  definition: object;
}

/** Headers with credentials for MCP servers that a request names, by server. Only kept in memory. */
export type RemoteSecrets = readonly { label: string; url: string; headers: Readonly<Record<string, string>> }[];

/** The MCP servers that the request of a reply named, with their credentials. */
export interface RemoteAccess {
  servers: readonly RemoteServer[];
  secrets: RemoteSecrets;
}

/** Creates tools from the listings of these servers. */
export interface RemoteToolMaker {
  /** @param secret credentials of the current request. Null: none */
  toolOf(
    server: RemoteServer,
    tool: RemoteTool,
    caller: { userId: number | null; secret: RemoteSecrets[number] | null },
  ): RegisteredTool;
}

/** The names that the APIs of model providers accept. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

const LONGEST_TIMEOUT_SECONDS = 600;

/** Part of every tool name from other sources. Tools of modules may contain it too, and take precedence. */
const OF_SOURCES = '__';

type Method = (input: unknown, context: ToolContext) => unknown;

/** Finds the tools of all modules, which are provider methods with `@AgentTool`, and those of other sources. */
@Injectable()
export class ToolRegistry implements OnModuleInit {
  private readonly byName = new Map<string, RegisteredTool>();
  /** The modules of these tools, as operators find them. */
  private readonly owners = new Map<string, string>();
  private readonly sources: ToolSource[] = [];
  private maker: RemoteToolMaker | null = null;
  private readonly scanner = new MetadataScanner();

  constructor(
    private readonly container: ModulesContainer,
    agentTools: AgentTools,
  ) {
    agentTools.useDirectory({ has: (name) => this.has(name) });
  }

  /** Registers a module that provides further tools. Call it in a constructor. */
  addSource(source: ToolSource): void {
    this.sources.push(source);
  }

  /** All tools, ordered by name. */
  async list(): Promise<RegisteredTool[]> {
    const others = await Promise.all(this.sources.map((source) => source.list()));
    return [...this.byName.values(), ...others.flat()].sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** @throws FeatureError for a tool name that two modules use, and for a tool that no model could be offered */
  onModuleInit(): void {
    const seen = new Set<unknown>();
    for (const { name, metatype: module, providers } of this.container.values()) {
      for (const { instance, metatype } of providers.values()) {
        if (typeof metatype === 'function' && isObject(instance) && !seen.has(instance)) {
          seen.add(instance);
          const file = fileOf(module);
          const owner = file === undefined ? name : `${name} (${file})`;
          this.scan(instance, kebab(name.replace(/Module$/, '')), owner);
        }
      }
    }
  }

  /** Registers the module that connects to MCP servers named by requests. Call it in a constructor. */
  useRemote(maker: RemoteToolMaker): void {
    this.maker = maker;
  }

  /**
   * @param userId the user who will call it. Null: any user with access
   * @param remote MCP servers that the request named. Configured servers take precedence
   */
  async find(name: string, userId: number | null, remote?: RemoteAccess): Promise<RegisteredTool | undefined> {
    const own = this.byName.get(name) ?? this.aliasOf(name);
    if (own !== undefined || !name.includes(OF_SOURCES)) {
      return own;
    }
    const found = await Promise.all(this.sources.map((source) => source.find(name, userId)));
    return found.find((tool) => tool !== undefined) ?? (remote && this.remoteTool(name, userId, remote));
  }

  /** The origin of a tool, even if the tool no longer exists. Null: unknown. */
  async originOf(name: string): Promise<ToolOrigin | null> {
    const own = this.byName.get(name) ?? this.aliasOf(name);
    if (own !== undefined || !name.includes(OF_SOURCES)) {
      return own === undefined ? null : { source: own.source, name };
    }
    const found = await Promise.all(this.sources.map((source) => source.originOf(name)));
    return found.find((origin) => origin !== null) ?? null;
  }

  /** Whether a user is connected to the MCP server with this label and has granted these scopes. */
  async isConnected(label: string, userId: number, scopes: readonly string[]): Promise<boolean> {
    const found = await Promise.all(this.sources.map((source) => source.isConnected(label, userId, scopes)));
    return found.includes(true);
  }

  /**
   * Parses the arguments of a call. Call it once per call, when the model proposes it: the same value is stored, shown
   * and executed. It is plain JSON, so that storing does not change it.
   */
  async read({ input }: Pick<RegisteredTool, 'input'>, given: unknown): Promise<ReadArguments> {
    const inexact = inexactIntegerIn(given);
    if (inexact !== null) {
      return { faults: [{ path: inexact, message: 'The integer is beyond ±(2^53 − 1), so its digits would change.' }] };
    }
    const { value, issues } = await input['~standard'].validate(given);
    if (issues !== undefined) {
      return { faults: issues.map(({ message, path }) => ({ path: pathOf(path), message })) };
    }
    const fault: ArgumentFault = { path: '', message: 'The arguments are not plain JSON.' };
    return plainJson(value) ?? { faults: [fault] };
  }

  /** The search of documents under the name of OpenAI's API, without a choice of collections. */
  private aliasOf(name: string): RegisteredTool | undefined {
    const search = name === FILE_SEARCH ? this.byName.get(SEARCH_KNOWLEDGE) : undefined;
    const properties = search?.inputSchema.properties as Record<string, unknown> | undefined;
    return (
      search && {
        ...search,
        name,
        inputSchema: { ...search.inputSchema, properties: { queries: properties?.queries } },
      }
    );
  }

  private remoteTool(
    name: string,
    userId: number | null,
    { servers, secrets }: RemoteAccess,
  ): RegisteredTool | undefined {
    for (const server of servers) {
      const tool = server.tools.find((one) => one.name === name);
      const secret = secrets.find(({ label, url }) => label === server.label && url === server.url) ?? null;
      if (tool !== undefined) {
        return this.maker?.toolOf(server, tool, { userId, secret });
      }
    }
    return undefined;
  }

  private async has(name: string): Promise<boolean> {
    if (this.byName.has(name) || !name.includes(OF_SOURCES)) {
      return this.byName.has(name);
    }
    return (await Promise.all(this.sources.map((source) => source.has(name)))).includes(true);
  }

  private scan(instance: object, source: string, owner: string): void {
    const prototype = Object.getPrototypeOf(instance) as Record<string, Method> | null;
    for (const key of this.scanner.getAllMethodNames(prototype)) {
      const method = prototype?.[key];
      const options = method && (Reflect.getMetadata(TOOL_METADATA, method) as ToolOptions<unknown> | undefined);
      if (method && options) {
        this.add(options, source, (input, context) => method.call(instance, input, context), owner);
      }
    }
  }

  private add(options: ToolOptions<unknown>, source: string, call: Method, owner = source): void {
    const { name, readOnly = false, timeoutSeconds = 60 } = options;
    if (this.byName.has(name)) {
      const other = this.owners.get(name);
      throw new FeatureError(`${owner} has the tool ${name}, which ${other} has already. Rename one of them.`);
    }
    if (!NAME.test(name)) {
      throw new FeatureError(`${owner} has the tool ${name}: a name has letters, digits, _ and -, up to 64 in all.`);
    }
    if (!(timeoutSeconds > 0 && timeoutSeconds <= LONGEST_TIMEOUT_SECONDS)) {
      throw new FeatureError(`${owner} has the tool ${name}, whose time is not within ${LONGEST_TIMEOUT_SECONDS} s.`);
    }
    this.owners.set(name, owner);
    this.byName.set(name, {
      idempotent: false,
      destructive: !readOnly,
      outside: false,
      ...options,
      readOnly,
      timeoutSeconds,
      source,
      served: null,
      inputSchema: schemaOf(options, owner),
      call,
    });
  }
}

function schemaOf({ name, input }: ToolOptions<unknown>, owner: string): Record<string, unknown> {
  try {
    return inputSchemaOf(input);
  } catch (error) {
    throw new FeatureError(`${owner} has the tool ${name}: ${(error as Error).message}`);
  }
}

function isObject(instance: unknown): instance is object {
  return typeof instance === 'object' && instance !== null;
}

/** The value after a JSON round trip. Null: the round trip would change it. */
function plainJson(value: unknown): { input: unknown } | null {
  try {
    const input: unknown = JSON.parse(JSON.stringify(value));
    return isDeepStrictEqual(input, withoutMinusZero(value)) ? { input } : null;
  } catch {
    return null;
  }
}

/** Replaces `-0` by `0`, because `JSON.stringify` does too. Only plain objects and lists are searched. */
function withoutMinusZero(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutMinusZero);
  }
  if (isObject(value) && Object.getPrototypeOf(value) === Object.prototype) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutMinusZero(member)]));
  }
  return Object.is(value, -0) ? 0 : value;
}

function pathOf(path: readonly (PropertyKey | { readonly key: unknown })[] = []): string {
  return path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
}

function kebab(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
}

/**
 * The JSON Schema of a tool's input.
 *
 * @throws Error for a schema that is not an object of valibot or zod 4
 */
function inputSchemaOf({ '~standard': standard, ...schema }: ToolSchema): Record<string, unknown> {
  const made =
    standard.jsonSchema?.input({ target: 'draft-2020-12' }) ?? ofValibot({ '~standard': standard, ...schema });
  const { $schema: _dialect, ...described } = made;
  if (described.type !== 'object') {
    throw new TypeError('the input is no object.');
  }
  return described;
}

function ofValibot(schema: ToolSchema): Record<string, unknown> {
  if (schema['~standard'].vendor !== 'valibot') {
    throw new TypeError('the input is no schema of valibot or zod 4.');
  }
  // Loaded lazily: few processes have tools, and each needs the package only once.
  const { toJsonSchema } = loadPackage('@valibot/to-json-schema') as {
    toJsonSchema: (schema: GenericSchema, config: object) => Record<string, unknown>;
  };
  return toJsonSchema(schema as unknown as GenericSchema, { typeMode: 'input', errorMode: 'ignore' });
}
