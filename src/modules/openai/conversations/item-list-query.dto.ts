import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { MaxLength, OptionalField } from '../../../common/validation/fields';
import { WholeNumberParameter } from '../../../common/validation/parameters';

const ORDERS = ['asc', 'desc'] as const;

/** Selects items. */
export class ItemListQueryDto {
  /** The maximum number of items. */
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(100)
  limit: number = 20;

  /** `desc`: the last item first. */
  @ApiPropertyOptional({ enum: ORDERS })
  @IsIn(ORDERS)
  order: (typeof ORDERS)[number] = 'desc';

  /** Only items after this item ID. */
  @OptionalField()
  @MaxLength(256)
  @IsString()
  after?: string;
}
