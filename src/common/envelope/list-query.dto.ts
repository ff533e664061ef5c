import { IsInt, Max, Min } from 'class-validator';
import { WholeNumberParameter } from '../validation/parameters';

/** Which part of a list that has no envelope. */
export class ListQueryDto {
  /** Elements at most. */
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(100)
  limit: number = 20;

  /** Elements to leave out at the beginning. */
  @WholeNumberParameter()
  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  offset: number = 0;
}
