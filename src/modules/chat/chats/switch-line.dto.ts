import { IsDefined, IsInt, Max, Min } from 'class-validator';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';

/** Which line to show. */
export class SwitchLineDto extends LanguageBodyDto {
  /** A message on that line, usually another version of one that is shown. @example 2 */
  @IsDefined()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  @IsInt()
  message_id: number;
}
