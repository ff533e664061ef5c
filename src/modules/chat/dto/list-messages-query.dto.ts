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

  /** `all` shows replies too that were generated anew since. */
  @IsIn(['current', 'all'])
  branches: 'current' | 'all' = 'current';
}
