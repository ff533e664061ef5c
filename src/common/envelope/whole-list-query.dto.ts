import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { WholeNumberParameter } from '../validation/parameters';

/** Which part of a short list, which is answered as a whole where no part is asked for. */
export class WholeListQueryDto {
  /** Elements at most; all when absent. */
  @IsOptional()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(100)
  limit?: number;

  /** Elements to leave out at the beginning. */
  @WholeNumberParameter()
  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  offset: number = 0;
}
