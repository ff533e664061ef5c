import { Injectable } from '@nestjs/common';
import { mapTexts } from '../../../common/text/invisible';
import { SECOND_MILLISECONDS } from '../../../common/time';
import type { McpServer } from '../servers/mcp-server.store';
import { type ExchangeOptions, McpExchange, type Peer } from './mcp-exchange';
import { McpFailure, OwnFailure } from './mcp-failure';
import { isTooDeep, type McpToolDefinition } from './tool-definition';

const MOST_BYTES = 1_048_576;
const MOST_TOOLS = 500;
const MOST_PAGES = 20;
const LONGEST_NAME = 255;

/** The maximum time for which a server may let its list be cached, in milliseconds. */
const LONGEST_TTL = 86_400_000;

/** A tool in a list. */
export interface ListedTool {
  name: string;
  /** Null: it is nested too deeply to be read. */
  definition: McpToolDefinition | null;
  /** Whether the server only accepts calls as tasks, which this service does not support. */
  needsTask: boolean;
}

export interface ToolList extends Peer {
  tools: ListedTool[];
  /** In milliseconds; null: the server sets none. */
  ttl: number | null;
  /** Whether the list is incomplete, because it has no end or too many tools. The first tools are kept. */
  isCut: boolean;
}

/** Passes the result through unvalidated. The list is parsed here, and the SDK stores none of it. */
const AS_IT_CAME = {
  '~standard': { version: 1 as const, vendor: 'chat-service', validate: (value: unknown) => ({ value }) },
};

/** Reads the tools of a server. */
@Injectable()
export class ToolListReader {
  constructor(private readonly exchange: McpExchange) {}

  /**
   * @param userId the user of the request; null: the service itself
   * @throws McpFailure, ConnectionNeededError
   */
  async read(
    server: McpServer,
    userId: number | null,
    asked: Pick<ExchangeOptions, 'signal' | 'access'> = {},
  ): Promise<ToolList> {
    const timeout = server.timeout * SECOND_MILLISECONDS;
    const limits = { timeout, mostBytes: MOST_BYTES, userId, traced: { method: 'tools/list' }, ...asked };
    const reading = this.exchange.run(server, limits, async (client, options, peer) => {
      const pages = new Pages();
      let ttl: number | null = null;
      let cursor: string | undefined;
      do {
        const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } };
        const answer = requireObject(await client.request(request, AS_IT_CAME, options));
        ttl ??= ttlOf(answer.ttlMs);
        cursor = typeof answer.nextCursor === 'string' ? answer.nextCursor : undefined;
        pages.add(toolsIn(answer.tools), cursor);
      } while (cursor !== undefined && !pages.isCut);
      return { tools: pages.tools, isCut: pages.isCut, ttl, ...peer };
    });
    return reading.catch((error: unknown) => {
      // The reader decides by the cause whether a retry may succeed.
      throw error instanceof OwnFailure ? error.cause : error;
    });
  }
}

/** Collects the pages of a list, until they repeat or become too many. */
class Pages {
  tools: ListedTool[] = [];
  isCut = false;
  private count = 0;
  private readonly cursors = new Set<string>();
  private readonly known = new Set<string>();

  /** @throws McpFailure if the first page alone has too many tools */
  add(page: ListedTool[], next: string | undefined): void {
    const isTooMany = this.tools.length + page.length > MOST_TOOLS;
    if (isTooMany && this.count === 0) {
      throw new McpFailure('too_many_tools');
    }
    const texts = page.map((tool) => JSON.stringify(tool));
    // A server that ignores cursors sends the same page again.
    const isRepeated = this.count > 0 && page.length > 0 && texts.every((text) => this.known.has(text));
    if (!isTooMany && !isRepeated) {
      this.tools.push(...page);
      texts.forEach((text) => this.known.add(text));
    }
    this.count++;
    const isEndless = next !== undefined && (this.count >= MOST_PAGES || this.cursors.has(next));
    this.cursors.add(next ?? '');
    this.isCut = isTooMany || isRepeated || isEndless;
  }
}

function toolsIn(listed: unknown): ListedTool[] {
  if (!Array.isArray(listed)) {
    throw new McpFailure('invalid');
  }
  return listed.map((tool: unknown) => {
    const { name, title, description, inputSchema, outputSchema, annotations, execution } = requireObject(tool);
    if (typeof name !== 'string' || !isStorableName(name)) {
      throw new McpFailure('invalid');
    }
    const definition = {
      name,
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
      inputSchema: isObject(inputSchema) ? inputSchema : {},
      ...(isObject(outputSchema) && { outputSchema }),
      ...(isObject(annotations) && { annotations }),
    };
    const needsTask = isObject(execution) && execution.taskSupport === 'required';
    return { name, definition: isTooDeep(definition) ? null : wellFormed(definition), needsTask };
  });
}

/** Tools are looked up by name, and databases store neither unpaired surrogates nor text after a NUL character. */
function isStorableName(name: string): boolean {
  return name !== '' && name.length <= LONGEST_NAME && name.isWellFormed() && !name.includes('\0');
}

/**
 * Servers that truncate a text may split its last character, and some models and databases refuse unpaired surrogates.
 */
function wellFormed(definition: McpToolDefinition): McpToolDefinition {
  return mapTexts(definition, (text) => text.toWellFormed()) as McpToolDefinition;
}

function ttlOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 ? Math.min(Math.trunc(value), LONGEST_TTL) : null;
}

function requireObject(value: unknown): Record<string, unknown> {
  if (!isObject(value)) {
    throw new McpFailure('invalid');
  }
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
