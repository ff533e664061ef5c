import { IsIn, IsInt, Max, Min } from 'class-validator';
import { OptionalField } from '../../../common/validation/fields';
import { WholeNumberParameter } from '../../../common/validation/parameters';
import { UiVersionParameter } from '../reading/reply-query.dto';
import type { UiVersion } from '../reading/ui-version';

/** Which messages of a conversation to list; without `before` and `after` the newest. */
export class ListMessagesQueryDto {
  /** How many messages. */
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(200)
  limit: number = 50;

  /** Only messages before the one with this id; the last of them. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  before?: number;

  /** Only messages after the one with this id; the first of them, or the last with `before`. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  after?: number;

  /** `all` also shows the other lines: earlier wordings, replaced replies, and what followed them. */
  @IsIn(['current', 'all'])
  branches: 'current' | 'all' = 'current';

  /** `ui_message`: for `useChat` of the AI SDK, without a running reply, which it joins. */
  @IsIn(['message', 'ui_message'])
  format: 'message' | 'ui_message' = 'message';

  @UiVersionParameter()
  ui_version?: UiVersion;
}
