import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString, Matches } from 'class-validator';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import { showInvisible } from '../../../common/text/invisible';
import { OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { MCP_TOOL_STATES, type McpToolState } from '../tools/mcp-tool.entity';
import type { McpTool } from '../tools/mcp-tool.store';
import { TOOL_PROBLEMS, type ToolProblem } from '../tools/tool-problems';

const DEFINITION = {
  type: 'object',
  additionalProperties: true,
  nullable: true,
  example: {
    name: 'create_issue',
    description: 'Creates an issue.',
    inputSchema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  },
} as const;

/** A tool of an MCP server. */
export class McpToolDto {
  /** The name at the server. @example "create_issue" */
  name: string;

  /** The name for models and agents. @example "github__create_issue" */
  told_name: string;

  /**
   * `quarantined`: unavailable until you approve its current definition. `gone`: the server no longer lists it.
   * @example "quarantined"
   */
  @ApiProperty({ enum: MCP_TOOL_STATES })
  state: McpToolState;

  /**
   * SHA-256 of the definition. Send it with a decision.
   * @example "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
   */
  pin: string;

  /** The current definition from the server, with invisible characters escaped. Null: too large. */
  @ApiProperty(DEFINITION)
  definition: unknown;

  /** The approved definition, which models receive; null: none. */
  @ApiProperty(DEFINITION)
  approved_definition: unknown;

  /**
   * Problems to review: invisible characters, words of mixed scripts, another tool with an equal name. A tool cannot be
   * approved if its definition is too large or too deep, its input is not an object, it only accepts calls as tasks, or
   * its name is a duplicate. @example []
   */
  @ApiProperty({ enum: TOOL_PROBLEMS, isArray: true })
  problems: ToolProblem[];
}

/** Filters the tools of a server. */
export class ListMcpToolsQueryDto extends PageQueryDto {
  /** Only tools in this state. @example "quarantined" */
  @OptionalField()
  @IsIn(MCP_TOOL_STATES)
  state?: McpToolState;
}

/** A decision about a tool. */
export class DecideMcpToolDto extends LanguageBodyDto {
  /**
   * `approved`: available while its definition does not change; `blocked`: never available; `quarantined`: unavailable
   * for now. @example "approved"
   */
  @IsIn(['approved', 'blocked', 'quarantined'])
  state: 'approved' | 'blocked' | 'quarantined';

  /**
   * The pin of the definition that you reviewed.
   * @example "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
   */
  @Matches(/^[0-9a-f]{64}$/)
  @IsString()
  @ApiProperty({ maxLength: 64 })
  pin: string;
}

export function toMcpToolDto(tool: McpTool): McpToolDto {
  return {
    name: tool.name,
    told_name: tool.modelName,
    state: tool.state,
    pin: tool.pin,
    definition: showInvisible(tool.definition),
    approved_definition: showInvisible(tool.approvedDefinition),
    problems: tool.problems,
  };
}
