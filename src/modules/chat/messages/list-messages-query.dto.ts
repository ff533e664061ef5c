import { IsIn, IsInt, Max, Min } from 'class-validator';
import { OptionalField } from '../../../common/validation/fields';
import { WholeNumberParameter } from '../../../common/validation/parameters';
import { UiVersionParameter } from '../reading/reply-query.dto';
import type { UiVersion } from '../reading/ui-version';

/** Selects messages of a conversation; without `before` and `after`, the newest. */
export class ListMessagesQueryDto {
  /** The maximum number of messages. */
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(200)
  limit: number = 50;

  /** The last messages before this message ID. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  before?: number;

  /** The first messages after this message ID; with `before`, the last ones. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  after?: number;

  /** `all` also returns the other lines: earlier wordings, replaced replies and their follow-up messages. */
  @IsIn(['current', 'all'])
  branches: 'current' | 'all' = 'current';

  /** `ui_message`: for `useChat` of the AI SDK. It excludes a running reply, which the page joins. */
  @IsIn(['message', 'ui_message'])
  format: 'message' | 'ui_message' = 'message';

  @UiVersionParameter()
  ui_version?: UiVersion;
}
