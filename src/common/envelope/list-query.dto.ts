import { IsInt, Max, Min } from 'class-validator';
import { WholeNumberParameter } from '../validation/parameters';

/** The part of a list without an envelope. */
export class ListQueryDto {
  /** Most elements to return. */
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(100)
  limit: number = 20;

  /** Elements to skip. */
  @WholeNumberParameter()
  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  offset: number = 0;
}
