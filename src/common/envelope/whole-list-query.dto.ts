import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { WholeNumberParameter } from '../validation/parameters';

/** The part of a short list, which is returned as a whole by default. */
export class WholeListQueryDto {
  /** Most elements to return; default: all. */
  @IsOptional()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(100)
  limit?: number;

  /** Elements to skip. */
  @WholeNumberParameter()
  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  offset: number = 0;
}
