import { IsDefined, IsInt, Max, Min } from 'class-validator';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';

/** Which line of a conversation is wanted. */
export class SwitchLineDto extends LanguageBodyDto {
  /** A message that the line goes through, usually another version of one that is shown. @example 2 */
  @IsDefined()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  @IsInt()
  message_id: number;
}
