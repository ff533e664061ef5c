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

/** A tool of a server. */
export class McpToolDto {
  /** As the server names it. @example "create_issue" */
  name: string;

  /** What models and agents call it. @example "github__create_issue" */
  told_name: string;

  /** `quarantined`: not offered until you approve it as it is. `gone`: the server does not list it any more. @example "quarantined" */
  @ApiProperty({ enum: MCP_TOOL_STATES })
  state: McpToolState;

  /** SHA-256 over the definition, for a decision. @example "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" */
  pin: string;

  /** What the server says of it now; signs that nobody sees are written out. Null: it is too large. */
  @ApiProperty(DEFINITION)
  definition: unknown;

  /** What was approved, which models are told; null: nothing. */
  @ApiProperty(DEFINITION)
  approved_definition: unknown;

  /**
   * What you should know: signs that nobody sees, words of mixed scripts, another tool with an equal name. What is too large or too
   * deep, has no object as its input, takes calls only as tasks, or shares its name cannot be approved. @example []
   */
  @ApiProperty({ enum: TOOL_PROBLEMS, isArray: true })
  problems: ToolProblem[];
}

/** Which tools of a server. */
export class ListMcpToolsQueryDto extends PageQueryDto {
  /** Only those in this state. @example "quarantined" */
  @OptionalField()
  @IsIn(MCP_TOOL_STATES)
  state?: McpToolState;
}

/** A decision about a tool. */
export class DecideMcpToolDto extends LanguageBodyDto {
  /** `approved`: offered, as long as it stays as it is; `blocked`: never; `quarantined`: not for now. @example "approved" */
  @IsIn(['approved', 'blocked', 'quarantined'])
  state: 'approved' | 'blocked' | 'quarantined';

  /** The pin of what you saw. @example "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" */
  @Matches(/^[0-9a-f]{64}$/)
  @IsString()
  @ApiProperty({ maxLength: 64 })
  pin: string;
}

export function toMcpToolDto(tool: McpTool): McpToolDto {
  return {
    name: tool.name,
    told_name: tool.toldName,
    state: tool.state,
    pin: tool.pin,
    definition: showInvisible(tool.definition),
    approved_definition: showInvisible(tool.approvedDefinition),
    problems: tool.problems,
  };
}
