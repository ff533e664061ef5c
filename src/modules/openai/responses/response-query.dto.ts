import { IsBoolean, IsInt, Max, Min } from 'class-validator';
import { OptionalField } from '../../../common/validation/fields';
import { SwitchParameter, WholeNumberParameter } from '../../../common/validation/parameters';

/** Options for retrieving a response. */
export class ResponseQueryDto {
  /** Streams the events of the response, from the first or after `starting_after`, while it runs and after its end. */
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
