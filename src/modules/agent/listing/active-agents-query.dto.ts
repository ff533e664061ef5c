import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { WholeNumberParameter } from '../../../common/validation/parameters';

/** Which part of the agents to chat with; without it, all of them. */
export class ActiveAgentsQueryDto {
  /** Agents at most; all when absent. */
  @IsOptional()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(100)
  limit?: number;

  /** Agents to leave out at the beginning. */
  @WholeNumberParameter()
  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  offset: number = 0;
}
