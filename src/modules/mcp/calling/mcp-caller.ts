import { Injectable } from '@nestjs/common';
import { SECOND_MILLISECONDS } from '../../../common/time';
import type { ToolContext } from '../../../common/tools/agent-tool.decorator';
import { ToolError } from '../../../common/tools/tool.error';
import { type ForeignAccess, McpExchange } from '../protocol/mcp-exchange';
import { McpFailure } from '../protocol/mcp-failure';
import type { McpServer } from '../servers/mcp-server.store';
import type { ToolDefinition } from '../tools/tool-definition';
import { resultText } from './result-text';

const MOST_BYTES = 4 * 1_048_576;

/** What a model is told; a server's own words come only from its tools. */
const REFUSED = 'The server refused the call, and did nothing.';
const NOT_REACHED = 'The server of the tool does not answer. The call was not made.';

/** What is called. */
interface CalledDefinition {
  /** The approved one. */
  definition: ToolDefinition;
  /** Whether the call is made again where it has no answer. */
  isRepeatable: boolean;
  /** Of a server that no administrator has added. */
  access?: ForeignAccess;
}

/** Calls tools of servers. */
@Injectable()
export class McpCaller {
  constructor(private readonly exchange: McpExchange) {}

  /**
   * @throws ToolError when the tool says that it failed, or the server has certainly done nothing
   * @throws McpFailure when nobody can say whether the call had its effect
   */
  async call(
    server: McpServer,
    { definition, isRepeatable, access }: CalledDefinition,
    input: unknown,
    { idempotencyKey, signal }: ToolContext,
  ): Promise<string> {
    const { outputSchema: _unchecked, ...toolDefinition } = definition;
    const params = {
      name: definition.name,
      arguments: input as Record<string, unknown>,
      _meta: { idempotencyKey },
    };
    const limits = { timeout: server.timeout * SECOND_MILLISECONDS, mostBytes: MOST_BYTES, signal, access };
    try {
      const result = await this.exchange.run(server, limits, (client, options) =>
        client.callTool(params, { ...options, toolDefinition: toolDefinition as never }),
      );
      const text = resultText(result);
      if (result.isError === true) {
        throw new ToolError(text);
      }
      return text;
    } catch (error) {
      throw error instanceof McpFailure ? outcomeOf(error, isRepeatable || signal.aborted) : error;
    }
  }
}

/** Where the server has certainly done nothing, this is said, unless the call is made again or nobody wants it. */
function outcomeOf(failure: McpFailure, isLeft: boolean): Error {
  if (failure.fault === 'refused') {
    return new ToolError(REFUSED);
  }
  return failure.isSent || isLeft ? failure : new ToolError(NOT_REACHED);
}
