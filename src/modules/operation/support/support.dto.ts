import { IsInt, IsString, Max, Min } from 'class-validator';
import { CharacterCount, NotBlank } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';

/** What a support bundle is for. */
export class CreateSupportBundleDto extends LanguageBodyDto {
  /** Written to the audit log. The bundle does not contain it. @example "Ticket 4711: replies fail since noon." */
  @NotBlank()
  @CharacterCount(3, 500)
  @IsString()
  reason: string;

  /** Hours before now from which failed replies are counted. @example 24 */
  @Max(72)
  @Min(1)
  @IsInt()
  hours: number = 24;
}
