import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString, Matches } from 'class-validator';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import { type AgentToolUse, APPROVER, TOOL_POLICIES, type ToolPolicy } from '../catalogue/agent-tools';

/** A tool that an agent may call. */
export class AgentToolDto implements AgentToolUse {
  /** Name of the tool from GET /admin/tools. @example "current_time" */
  @Matches(/^[A-Za-z0-9_-]{1,64}$/)
  @MaxLength(64)
  @IsString()
  name: string;

  /**
   * `auto`: calls run immediately; `ask`: each call needs approval; `deny`: the tool is not offered. Default: `auto`
   * for a read-only tool, otherwise `ask`.
   *
   * @example "ask"
   */
  @OptionalField()
  @IsIn(TOOL_POLICIES)
  @ApiProperty({ enum: TOOL_POLICIES })
  policy?: ToolPolicy;

  /**
   * Approver of calls: the `user` of the conversation (default), any `admin`, or a group as `group:7`. Members of a
   * group and administrators cannot approve their own calls.
   *
   * @example "user"
   */
  @OptionalField()
  @Matches(APPROVER)
  @MaxLength(16)
  @IsString()
  approver?: string;
}
