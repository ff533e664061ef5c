import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString, Matches } from 'class-validator';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import { type AgentToolUse, APPROVER, TOOL_POLICIES, type ToolPolicy } from '../catalogue/agent-tools';

/** A tool that an agent may call. */
export class AgentToolDto implements AgentToolUse {
  /** As GET /admin/tools lists it. @example "current_time" */
  @Matches(/^[A-Za-z0-9_-]{1,64}$/)
  @MaxLength(64)
  @IsString()
  name: string;

  /**
   * `auto`: calls run at once; `ask`: somebody is asked before each; `deny`: the agent is not offered it. Default: `auto` for a
   * tool that is read-only, else `ask`. @example "ask"
   */
  @OptionalField()
  @IsIn(TOOL_POLICIES)
  @ApiProperty({ enum: TOOL_POLICIES })
  policy?: ToolPolicy;

  /**
   * Who is asked: the `user` of the conversation, which is the default, any `admin`, or a group as `group:7`. A group or an
   * administrator never approves what they asked for themselves. @example "user"
   */
  @OptionalField()
  @Matches(APPROVER)
  @MaxLength(16)
  @IsString()
  approver?: string;
}
