import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import { CharacterCount, OptionalField } from '../../../common/validation/fields';
import { ACCESS_LEVELS, type AccessLevel, AGENT_STATUSES, type AgentStatus } from '../catalogue/agent.entity';

const AGENT_SORTS = ['sort_order', '-sort_order', 'name', '-name', 'created_at', '-created_at'] as const;
export type AgentSort = (typeof AGENT_SORTS)[number];

/** Which agents to list. */
export class AgentListQueryDto extends PageQueryDto {
  /** Text in the name or the description, such as `writing`; case does not count. */
  @OptionalField()
  @IsString()
  @CharacterCount(0, 200)
  q?: string;

  /** Only this category, such as `general`. */
  @OptionalField()
  @IsString()
  @CharacterCount(0, 64)
  category?: string;

  /** Only agents for everybody (`free`), or only those for members (`paid`). */
  @OptionalField()
  @IsIn(ACCESS_LEVELS)
  access_level?: AccessLevel;

  /** For administrators; everybody else sees active agents only. */
  @OptionalField()
  @IsIn(AGENT_STATUSES)
  status?: AgentStatus;

  /** Order; `-` reverses it. */
  @IsIn(AGENT_SORTS)
  @ApiPropertyOptional({ enum: AGENT_SORTS, default: 'sort_order' })
  sort: AgentSort = 'sort_order';
}
