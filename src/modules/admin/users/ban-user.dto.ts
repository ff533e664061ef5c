import { IsString } from 'class-validator';
import { CharacterCount, NotBlank, NullableField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { ObjectExample } from '../../../common/validation/object-example.decorator';
import { InstantField } from '../../../common/validation/times';

/** Reason and end of a ban. */
@ObjectExample({ reason: 'Sends spam.' })
export class BanUserDto extends LanguageBodyDto {
  /**
   * For other administrators. The user can see it in the event `user.banned` and in the data export.
   * @example "Sends spam."
   */
  @NotBlank()
  @CharacterCount(1, 500)
  @IsString()
  reason: string;

  /** End of the ban, in the future. If absent or null, the ban has no end. @example "2027-01-31T12:00:00.000Z" */
  @NullableField()
  @InstantField()
  until?: string | null;
}
