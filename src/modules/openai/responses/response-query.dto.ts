import { IsBoolean, IsInt, Max, Min } from 'class-validator';
import { OptionalField } from '../../../common/validation/fields';
import { SwitchParameter, WholeNumberParameter } from '../../../common/validation/parameters';

/** How to read a response. */
export class ResponseQueryDto {
  /** Answers with its events, from the first one or from `starting_after` on, while it runs and after its end. */
  @OptionalField()
  @SwitchParameter()
  @IsBoolean()
  stream?: boolean;

  /** `sequence_number` of the last event that the client has. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  starting_after?: number;
}
