import { isDeepStrictEqual } from 'node:util';
import { Injectable, OnModuleInit } from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { FeatureError } from '../../../common/features/feature.error';
import { TOOL_METADATA, type ToolContext, type ToolOptions } from '../../../common/tools/agent-tool.decorator';
import { AgentTools } from '../../agent/agent.api';
import { inputSchemaOf } from './input-schema';
import type { ArgumentFault, ReadArguments, RegisteredTool, ToolSource } from './registered-tool';

/** What the APIs of model providers take. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

const LONGEST_TIMEOUT_SECONDS = 600;

/** Names of tools from other sources have it; those of modules may have it too, and come first. */
const OF_SOURCES = '__';

type Method = (input: unknown, context: ToolContext) => unknown;

/** Knows the tools of all modules, which are methods of their providers with `@AgentTool`, and those of other sources. */
@Injectable()
export class ToolRegistry implements OnModuleInit {
  private readonly byName = new Map<string, RegisteredTool>();
  private readonly sources: ToolSource[] = [];
  private readonly scanner = new MetadataScanner();

  constructor(
    private readonly container: ModulesContainer,
    agentTools: AgentTools,
  ) {
    agentTools.useDirectory({ has: (name) => this.has(name) });
  }

  /** For a module that knows further tools; call it in a constructor. */
  addSource(source: ToolSource): void {
    this.sources.push(source);
  }

  /** All, by name. */
  async list(): Promise<RegisteredTool[]> {
    const others = await Promise.all(this.sources.map((source) => source.list()));
    return [...this.byName.values(), ...others.flat()].sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** @throws FeatureError for a tool that two modules have, and for one that no model could be offered */
  onModuleInit(): void {
    const seen = new Set<unknown>();
    for (const { name, providers } of this.container.values()) {
      for (const { instance, metatype } of providers.values()) {
        if (typeof metatype === 'function' && isObject(instance) && !seen.has(instance)) {
          seen.add(instance);
          this.scan(instance, kebab(name.replace(/Module$/, '')));
        }
      }
    }
  }

  /** @param userId who is to call it; null: whoever may */
  async find(name: string, userId: number | null): Promise<RegisteredTool | undefined> {
    const own = this.byName.get(name);
    if (own !== undefined || !name.includes(OF_SOURCES)) {
      return own;
    }
    const found = await Promise.all(this.sources.map((source) => source.find(name, userId)));
    return found.find((tool) => tool !== undefined);
  }

  /** The module or server of a tool, whether or not it is there still; null: unknown. */
  sourceOf(name: string): string | null {
    const end = name.indexOf(OF_SOURCES);
    return this.byName.get(name)?.source ?? (end > 0 ? name.slice(0, end) : null);
  }

  /**
   * Reads arguments as the tool gets them. Call it once for each call, when it is proposed: what comes out is stored, shown and
   * executed. It is plain JSON, so that storing does not change it.
   */
  async read({ input }: Pick<RegisteredTool, 'input'>, given: unknown): Promise<ReadArguments> {
    const { value, issues } = await input['~standard'].validate(given);
    if (issues !== undefined) {
      return { faults: issues.map(({ message, path }) => ({ path: pathOf(path), message })) };
    }
    const fault: ArgumentFault = { path: '', message: 'The arguments are not plain JSON.' };
    return isPlainJson(value) ? { input: value } : { faults: [fault] };
  }

  private async has(name: string): Promise<boolean> {
    if (this.byName.has(name) || !name.includes(OF_SOURCES)) {
      return this.byName.has(name);
    }
    return (await Promise.all(this.sources.map((source) => source.has(name)))).includes(true);
  }

  private scan(instance: object, source: string): void {
    const prototype = Object.getPrototypeOf(instance) as Record<string, Method> | null;
    for (const key of this.scanner.getAllMethodNames(prototype)) {
      const method = prototype?.[key];
      const options = method && (Reflect.getMetadata(TOOL_METADATA, method) as ToolOptions<unknown> | undefined);
      if (method && options) {
        this.add(options, source, (input, context) => method.call(instance, input, context));
      }
    }
  }

  private add(options: ToolOptions<unknown>, source: string, call: Method): void {
    const { name, readOnly = false, timeoutSeconds = 60 } = options;
    const other = this.byName.get(name);
    if (other) {
      throw new FeatureError(`${source} has the tool ${name}, which ${other.source} has already. Rename it.`);
    }
    if (!NAME.test(name)) {
      throw new FeatureError(`${source} has the tool ${name}: a name has letters, digits, _ and -, up to 64 in all.`);
    }
    if (!(timeoutSeconds > 0 && timeoutSeconds <= LONGEST_TIMEOUT_SECONDS)) {
      throw new FeatureError(`${source} has the tool ${name}, whose time is not within ${LONGEST_TIMEOUT_SECONDS} s.`);
    }
    this.byName.set(name, {
      idempotent: false,
      destructive: !readOnly,
      outside: false,
      ...options,
      readOnly,
      timeoutSeconds,
      source,
      served: null,
      inputSchema: schemaOf(options, source),
      call,
    });
  }
}

function schemaOf({ name, input }: ToolOptions<unknown>, source: string): Record<string, unknown> {
  try {
    return inputSchemaOf(input);
  } catch (error) {
    throw new FeatureError(`${source} has the tool ${name}: ${(error as Error).message}`);
  }
}

function isObject(instance: unknown): instance is object {
  return typeof instance === 'object' && instance !== null;
}

function isPlainJson(value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value);
  } catch {
    return false;
  }
}

function pathOf(path: readonly (PropertyKey | { readonly key: unknown })[] = []): string {
  return path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
}

/** `ApiKey` as `api-key`. */
function kebab(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
}
