import { IsIn, IsString } from 'class-validator';
import { PageOrFileQueryDto } from '../../../common/csv/csv-query.dto';
import { type Sort, SortParameter } from '../../../common/envelope/sort';
import { CharacterCount, OptionalField } from '../../../common/validation/fields';
import { ACCESS_LEVELS, type AccessLevel, AGENT_STATUSES, type AgentStatus } from '../catalogue/agent.entity';

const SORT_FIELDS = ['sort_order', 'name', 'created_at', 'updated_at', 'id'] as const;
export type AgentSortField = (typeof SORT_FIELDS)[number];

/** Filters of the agent list. */
export class AgentListQueryDto extends PageOrFileQueryDto {
  /** Text in the name or the description, such as `writing`; case is ignored. */
  @OptionalField()
  @IsString()
  @CharacterCount(0, 200)
  q?: string;

  /** Only this category, such as `general`. */
  @OptionalField()
  @IsString()
  @CharacterCount(0, 64)
  category?: string;

  /** Only agents for all users (`free`), or only those for members (`paid`). */
  @OptionalField()
  @IsIn(ACCESS_LEVELS)
  access_level?: AccessLevel;

  /** For administrators only; other users always see active agents. */
  @OptionalField()
  @IsIn(AGENT_STATUSES)
  status?: AgentStatus;

  @SortParameter(SORT_FIELDS, 'sort_order')
  sort: Sort<AgentSortField> = 'sort_order';
}
