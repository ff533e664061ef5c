import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { type Page, type PageQueryDto, partOf, toPage } from '../../common/envelope/page.dto';
import { ValidationFailedError } from '../../common/errors/validation.errors';
import { toStorableText } from '../../integrations/llm/port/storable-text';
import { ConnectionNeededError } from './registry/connection-needed.error';
import type { RegisteredTool, ToolOutcome } from './registry/registered-tool';
import { ToolRegistry } from './registry/tool-registry';
import { ToolRunner } from './registry/tool-runner';
import { toolText } from './registry/tool-text';
import type { ToolDto, ToolTestDto, ToolTestResultDto } from './tool.dto';
import { ConnectionRequiredError, ToolNotFoundError } from './tool.errors';

/** The result of a tool call without a known outcome. */
const NO_ANSWER = 'The tool did not respond. The log of the service has the reason.';

/** Lists tools for administrators and lets them test tools. */
@Injectable()
export class ToolsService {
  private readonly logger = new Logger(ToolsService.name);

  constructor(
    private readonly registry: ToolRegistry,
    private readonly runner: ToolRunner,
  ) {}

  async page(query: PageQueryDto): Promise<Page<ToolDto>> {
    const all = await this.registry.list();
    const { offset, limit } = partOf(query);
    return toPage(all.slice(offset, offset + limit).map(toToolDto), all.length, query);
  }

  /**
   * @throws ToolNotFoundError
   * @throws ValidationFailedError for arguments that violate the schema, and for a tool with effects unless `dry` is
   *   set
   * @throws ConnectionRequiredError when the MCP server requires the caller's own connection
   */
  async test(
    userId: number,
    name: string,
    { arguments: given, dry = false }: ToolTestDto,
    signal: AbortSignal,
  ): Promise<ToolTestResultDto> {
    const tool = await this.registry.find(name, userId);
    if (tool === undefined) {
      throw new ToolNotFoundError();
    }
    const read = await this.read(tool, given);
    if (dry) {
      return { arguments: read, content: null, is_error: false, duration_ms: null };
    }
    if (!tool.readOnly) {
      throw ValidationFailedError.of('dry', 'required');
    }
    const callId = `test_${randomUUID()}`;
    const context = { userId, chatId: null, messageId: null, callId, idempotencyKey: callId };
    const startedAt = performance.now();
    const outcome = await this.runner.run(tool, read, context, signal);
    if (outcome.state === 'needed' && outcome.need instanceof ConnectionNeededError) {
      throw new ConnectionRequiredError(outcome.need.label);
    }
    return {
      arguments: read,
      content: toolText(toStorableText(this.wordsOf(name, outcome))).sent,
      is_error: outcome.state !== 'succeeded',
      duration_ms: Math.round(performance.now() - startedAt),
    };
  }

  /** @throws ValidationFailedError */
  private async read(tool: RegisteredTool, given: unknown): Promise<Record<string, unknown>> {
    const { input, faults } = { input: undefined, ...(await this.registry.read(tool, given)) };
    const [first, ...others] = (faults ?? []).map(({ path }) => ({
      field: path === '' ? 'arguments' : `arguments.${path}`,
      reason: 'invalid_format',
    }));
    if (first !== undefined) {
      throw new ValidationFailedError([first, ...others]);
    }
    return input as Record<string, unknown>;
  }

  private wordsOf(name: string, outcome: ToolOutcome): string {
    if (outcome.state === 'needed') {
      return outcome.need.message;
    }
    if (outcome.state !== 'unknown') {
      return outcome.content ?? NO_ANSWER;
    }
    this.logger.warn({ error: outcome.cause, tool: name, reason: outcome.reason }, 'A tool failed.');
    return NO_ANSWER;
  }
}

function toToolDto({ name, source, served, description, inputSchema, ...tool }: RegisteredTool): ToolDto {
  const { readOnly, idempotent, outside } = tool;
  const server = served?.label ?? null;
  return { name, source, server, description, input_schema: inputSchema, read_only: readOnly, idempotent, outside };
}
