import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { MaxLength, OptionalField } from '../../common/validation/fields';
import { WholeNumberParameter } from '../../common/validation/parameters';

const ORDERS = ['asc', 'desc'] as const;

/** The place of a page in a list. */
export class CursorQueryDto {
  /** `desc`: the newest first. */
  @ApiPropertyOptional({ enum: ORDERS })
  @IsIn(ORDERS)
  order: (typeof ORDERS)[number] = 'desc';

  /** Only objects after this id. */
  @OptionalField()
  @MaxLength(64)
  @IsString()
  after?: string;

  /** Only objects before this id. */
  @OptionalField()
  @MaxLength(64)
  @IsString()
  before?: string;
}

/** A page of a list. */
export class LimitedCursorQueryDto extends CursorQueryDto {
  /** The maximum number of objects. */
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(100)
  limit: number = 20;
}
