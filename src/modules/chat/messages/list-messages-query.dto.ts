import { IsIn, IsInt, Max, Min } from 'class-validator';
import { OptionalField } from '../../../common/validation/fields';
import { WholeNumberParameter } from '../../../common/validation/parameters';

/** Which messages of a conversation to list; without `before` and `after` the newest. */
export class ListMessagesQueryDto {
  /** Messages at most. */
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(200)
  limit: number = 50;

  /** Only messages that stand before the one with this id; the last of them. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  before?: number;

  /** Only messages that stand after the one with this id; the first of them unless `before` is given too. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  after?: number;

  /** `all` shows the other lines too: earlier wordings, replies that were generated anew, and what followed them. */
  @IsIn(['current', 'all'])
  branches: 'current' | 'all' = 'current';

  /** `ui_message`: as `useChat` of the AI SDK takes them, without a reply that is being written, which it joins. */
  @IsIn(['message', 'ui_message'])
  format: 'message' | 'ui_message' = 'message';
}
